import Encodings

/// Strings as JSON: the one place that knows what has to be escaped.
package enum JSONText {
    /// Appends a string with its quotes.
    ///
    /// Quotes, backslashes and whatever controls a terminal or turns the direction of text are escaped.
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

    /// The member `"error"` of an object that says which field broke which rule.
    package static func error(field: String, rule: String) -> String {
        "\"error\":{\"field\":\(quoted(field)),\"rule\":\(quoted(rule))}"
    }

    /// Copies what stands for itself in pieces, and escapes the rest.
    private static func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        var start = 0
        var index = 0
        while index < text.count {
            let byte = text[index]
            let control = byte < 0xC2 ? nil : longControl(text[index...].prefix(3))
            if isPlain(byte) && control == nil {
                index += 1
                continue
            }
            output.append(contentsOf: text[start..<index])
            append(control?.scalar ?? Unicode.Scalar(byte), to: &output)
            index += control?.length ?? 1
            start = index
        }
        output.append(contentsOf: text[start...])
    }

    /// Whether a byte of UTF-8 stands for itself, unless it begins a control character.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != 0x7F
    }

    /// The controlling scalar of two or three bytes with which a text begins; nil for any other.
    private static func longControl(
        _ text: Slice<UnsafeBufferPointer<UInt8>>
    ) -> (scalar: Unicode.Scalar, length: Int)? {
        let start = text.startIndex
        switch (text[start], text.count) {
        case (0xC2, 2...), (0xD8, 2...):
            let value = UInt32(text[start] & 0x1F) << 6 | UInt32(text[start + 1] & 0x3F)
            return Unicode.Scalar(value).flatMap { isControlling($0) ? ($0, 2) : nil }
        case (0xE2, 3...):
            let value = 0x2000 | UInt32(text[start + 1] & 0x3F) << 6 | UInt32(text[start + 2] & 0x3F)
            return Unicode.Scalar(value).flatMap { isControlling($0) ? ($0, 3) : nil }
        default: return nil
        }
    }

    /// Whether a terminal or a reader of lines would obey a scalar: control characters (C0, DEL and C1), separators of
    /// lines and paragraphs, and the characters that turn the direction of text (UAX #9).
    package static func isControlling(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Appends one scalar of a string, escaped if it has to be.
    static func append(_ scalar: Unicode.Scalar, to output: inout [UInt8]) {
        switch scalar {
        case "\"": output.append(contentsOf: #"\""#.utf8)
        case "\\": output.append(contentsOf: #"\\"#.utf8)
        case "\n": output.append(contentsOf: #"\n"#.utf8)
        case "\r": output.append(contentsOf: #"\r"#.utf8)
        case "\t": output.append(contentsOf: #"\t"#.utf8)
        case _ where isControlling(scalar):
            output.append(contentsOf: #"\u"#.utf8)
            for shift in [12, 8, 4, 0] {
                output.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: scalar.value >> shift & 15)))
            }
        default: output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    /// A string with its quotes.
    package static func quoted(_ text: String) -> String {
        var output: [UInt8] = []
        append(text, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// A text for people, of one or more lines, in which nothing controls a terminal.
    ///
    /// What would is escaped as in JSON. Line ends and tabs stay; so a text that must stay on its line, such as the
    /// name of a file, is passed to `line` first.
    package static func printable(_ text: String) -> String {
        escaped(text) { $0 != "\n" && $0 != "\t" && isControlling($0) }
    }

    /// The same for a text that must not end the line that it is on.
    package static func line(_ text: String) -> String {
        escaped(text, isControlling)
    }

    private static func escaped(_ text: String, _ isWrong: (Unicode.Scalar) -> Bool) -> String {
        guard text.unicodeScalars.contains(where: isWrong) else { return text }
        var output: [UInt8] = []
        for scalar in text.unicodeScalars {
            if isWrong(scalar) {
                append(scalar, to: &output)
            } else {
                output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
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
