import Encodings

/// One flat JSON object, written member by member, whose names are ours or Apple's and need no escape.
package struct JSONObjectText {
    private var writer = JSONWriter()

    package init() {
        // Enough for an impression or a small answer, so that the buffer does not grow.
        writer.bytes.reserveCapacity(512)
        writer.begin("{")
    }

    /// Adds a string.
    package mutating func append(_ name: String, _ text: String) {
        writer.beginMember(name)
        writer.string(text)
    }

    /// Adds an integer.
    @inlinable
    package mutating func append(_ name: String, _ integer: some BinaryInteger) {
        if let magnitude = UInt64(exactly: integer) {
            append(name, magnitude: magnitude)
        } else {
            append(name, json: String(integer).utf8)
        }
    }

    /// Adds an integer of the type that fields have.
    package mutating func append(_ name: String, _ integer: Int64) {
        writer.beginMember(name)
        DecimalText.append(integer, to: &writer.bytes)
    }

    @usableFromInline
    package mutating func append(_ name: String, magnitude: UInt64) {
        writer.beginMember(name)
        DecimalText.append(magnitude: magnitude, to: &writer.bytes)
    }

    /// Adds a boolean.
    package mutating func append(_ name: String, _ flag: Bool) {
        writer.beginMember(name)
        writer.bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Adds bytes as a base64 string.
    package mutating func append(_ name: String, base64 value: [UInt8]) {
        writer.beginMember(name)
        writer.bytes.append(UInt8(ascii: "\""))
        Base64.encode(value, into: &writer.bytes)
        writer.bytes.append(UInt8(ascii: "\""))
    }

    /// Adds a value that is already JSON.
    package mutating func append(_ name: String, json: [UInt8]) {
        writer.beginMember(name)
        writer.bytes.append(contentsOf: json)
    }

    /// Adds a text that is JSON already.
    @usableFromInline
    package mutating func append(_ name: String, json: String.UTF8View) {
        writer.beginMember(name)
        writer.bytes.append(contentsOf: json)
    }

    /// The whole object.
    package consuming func finished() -> [UInt8] {
        writer.end("}")
        return writer.bytes
    }
}
