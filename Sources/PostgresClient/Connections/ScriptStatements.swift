/// Where the statements of a script begin.
///
/// The script is SQL as a migration has it: with comments, strings, quoted names and dollar quotes, without `BEGIN ATOMIC`.
struct ScriptStatements {
    /// The line of each statement, from 1.
    private(set) var lines: [Int] = []

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var isInside = false

    init(_ script: String) {
        bytes = Array(script.utf8)
        while index < bytes.count { step() }
    }

    private mutating func step() {
        switch (bytes[index], index + 1 < bytes.count ? bytes[index + 1] : 0) {
        case (UInt8(ascii: "-"), UInt8(ascii: "-")): skip { $0.bytes[$0.index] == UInt8(ascii: "\n") }
        case (UInt8(ascii: "/"), UInt8(ascii: "*")): skipComment()
        case (UInt8(ascii: ";"), _):
            isInside = false
            advance()
        case (UInt8(ascii: " "), _), (UInt8(ascii: "\n"), _), (UInt8(ascii: "\t"), _), (UInt8(ascii: "\r"), _):
            advance()
        case (let byte, _):
            if !isInside { lines.append(line) }
            isInside = true
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                advance()
                // A doubled quote ends one string and begins another one, which comes to the same.
                skip { $0.bytes[$0.index] == byte }
                advance()
            } else if let tag = dollarTag() {
                advance(tag.count)
                skip { $0.bytes[$0.index...].starts(with: tag) }
                advance(tag.count)
            } else {
                advance()
            }
        }
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where index < bytes.count {
            if bytes[index] == UInt8(ascii: "\n") { line += 1 }
            index += 1
        }
    }

    private mutating func skip(until isEnd: (ScriptStatements) -> Bool) {
        while index < bytes.count, !isEnd(self) { advance() }
    }

    /// Comments of this kind can be nested.
    private mutating func skipComment() {
        var depth = 0
        repeat {
            if bytes[index...].starts(with: "/*".utf8) {
                depth += 1
                advance(2)
            } else if bytes[index...].starts(with: "*/".utf8) {
                depth -= 1
                advance(2)
            } else {
                advance()
            }
        } while depth > 0 && index < bytes.count
    }

    /// The mark of a dollar quote that begins here, such as `$$` or `$body$`.
    private func dollarTag() -> ArraySlice<UInt8>? {
        guard bytes[index] == UInt8(ascii: "$"), index == 0 || !Self.isNamePart(bytes[index - 1]) else { return nil }
        guard let end = bytes[(index + 1)...].firstIndex(where: { !Self.isNamePart($0) }) else { return nil }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard bytes[end] == UInt8(ascii: "$"), !digits.contains(bytes[index + 1]) else { return nil }
        return bytes[index...end]
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: byte >= 0x80
        }
    }
}
