import Encodings

/// Strings as JSON: the one place that knows what has to be escaped.
package enum JSONText {
    /// Appends a string with its quotes.
    ///
    /// Quotes, backslashes and every control character are escaped, C1 too, since a terminal obeys them.
    package static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Almost no string needs an escape.
            if isPlain(utf8) {
                output.append(contentsOf: utf8)
            } else {
                for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars { append(scalar, to: &output) }
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Whether a string stands for itself: printable ASCII without quotes and backslashes.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
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
