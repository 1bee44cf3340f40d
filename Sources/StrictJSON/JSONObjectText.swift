import Encodings

/// Writes one JSON object with fixed members in a fixed order.
package struct JSONObjectText {
    private(set) var bytes: [UInt8] = []

    package init() {
        // Enough for an impression or a small answer, so that the buffer does not grow.
        bytes.reserveCapacity(512)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Adds a string.
    package mutating func append(_ name: String, _ text: String) {
        begin(name)
        JSONText.append(text, to: &bytes)
    }

    /// Adds an integer.
    package mutating func append(_ name: String, _ integer: some BinaryInteger) {
        begin(name)
        DecimalText.append(integer, to: &bytes)
    }

    /// Adds a boolean.
    package mutating func append(_ name: String, _ flag: Bool) {
        begin(name)
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Adds bytes as a base64 string.
    package mutating func append(_ name: String, base64 value: [UInt8]) {
        begin(name)
        bytes.append(UInt8(ascii: "\""))
        Base64.encode(value, into: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Adds a value that is already JSON.
    package mutating func append(_ name: String, json: some Sequence<UInt8>) {
        begin(name)
        bytes.append(contentsOf: json)
    }

    /// The whole object.
    package consuming func finished() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    private mutating func begin(_ name: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        // Names are ours or Apple's, or were already JSON, so they need no escapes.
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }
}
