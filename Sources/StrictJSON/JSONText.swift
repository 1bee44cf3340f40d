import Encodings

/// Strings as JSON: the one place that knows what has to be escaped.
package enum JSONText {
    /// Appends a string with its quotes.
    ///
    /// Quotes, backslashes and every control character are escaped, C1 too, since a terminal obeys them.
    package static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { appendEscaped($0, to: &output) }
        output.append(UInt8(ascii: "\""))
    }

    /// Appends a string that is given as UTF-8, with its quotes.
    package static func append(utf8 text: [UInt8], to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        text.withUnsafeBufferPointer { appendEscaped($0, to: &output) }
        output.append(UInt8(ascii: "\""))
    }

    /// Copies what stands for itself in pieces, and escapes the rest.
    private static func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        var start = 0
        var index = 0
        while index < text.count {
            let byte = text[index]
            // U+0080 to U+009F are C2 80 to C2 9F.
            let isControl = byte == 0xC2 && index + 1 < text.count && text[index + 1] < 0xA0
            if isPlain(byte) && !isControl {
                index += 1
                continue
            }
            output.append(contentsOf: text[start..<index])
            append(Unicode.Scalar(isControl ? text[index + 1] : byte), to: &output)
            index += isControl ? 2 : 1
            start = index
        }
        output.append(contentsOf: text[start...])
    }

    /// Whether a byte of UTF-8 stands for itself, unless it begins a control character.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != 0x7F
    }

    /// Appends one scalar of a string, escaped if it has to be.
    static func append(_ scalar: Unicode.Scalar, to output: inout [UInt8]) {
        switch scalar {
        case "\"": output.append(contentsOf: #"\""#.utf8)
        case "\\": output.append(contentsOf: #"\\"#.utf8)
        case "\n": output.append(contentsOf: #"\n"#.utf8)
        case "\r": output.append(contentsOf: #"\r"#.utf8)
        case "\t": output.append(contentsOf: #"\t"#.utf8)
        case "\0"..<" ", "\u{7F}"..<"\u{A0}":
            output.append(contentsOf: #"\u00"#.utf8)
            output.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: scalar.value >> 4)))
            output.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: scalar.value & 15)))
        default: output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    /// A string with its quotes.
    package static func quoted(_ text: String) -> String {
        var output: [UInt8] = []
        append(text, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// An untrusted key as a message may show it: cut, and with escapes, so that it can't control a terminal.
    ///
    /// An empty key is shown as two quotation marks, so that a refusal always names something.
    package static func shown(_ key: String) -> String {
        guard !key.isEmpty else { return "\"\"" }
        // By bytes: a quotation mark and a combining mark behind it are one character.
        return String(decoding: quoted(key.prefix(bytes: 60)).utf8.dropFirst().dropLast(), as: UTF8.self)
            .prefix(bytes: 80)
    }
}
