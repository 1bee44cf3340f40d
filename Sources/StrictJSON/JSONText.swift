import Encodings

/// Writing JSON by hand where its form is fixed: keys in our order, strings escaped.
package enum JSONText {
    /// Appends a string with its quotes; control characters, quotes and backslashes are escaped.
    package static func append(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { append($0, to: &output) }
    }

    /// Appends a string out of its UTF-8.
    private static func append(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        // Nearly nothing that is written here needs an escape.
        guard text.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
            output.append(contentsOf: text)
            output.append(UInt8(ascii: "\""))
            return
        }
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(byte)
            case 0..<0x20:
                output.append(contentsOf: "\\u00".utf8)
                output.append(Hexadecimal.digit(byte >> 4))
                output.append(Hexadecimal.digit(byte & 15))
            default:
                output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// A string with its quotes.
    package static func quoted(_ text: String) -> String {
        var output: [UInt8] = []
        append(text, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// A key out of somebody's JSON as a message may show it: cut short, and escaped for the terminal it may end up on.
    package static func shown(_ key: String) -> String {
        String(quoted(key.prefix(bytes: 60)).dropFirst().dropLast()).prefix(bytes: 80)
    }
}
