/// Writes one JSON object whose members and their order are fixed.
package struct JSONObjectText {
    private(set) var bytes = [UInt8(ascii: "{")]

    package init() {}

    /// Adds a string.
    package mutating func append(_ name: String, _ text: String) {
        begin(name)
        JSONText.append(text, to: &bytes)
    }

    /// Adds an integer.
    package mutating func append(_ name: String, _ integer: some BinaryInteger) {
        begin(name)
        bytes.append(contentsOf: String(integer).utf8)
    }

    /// Adds a boolean.
    package mutating func append(_ name: String, _ flag: Bool) {
        begin(name)
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Adds a value that is JSON already.
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
        JSONText.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }
}
