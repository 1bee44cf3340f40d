import Mustache

/// Escapes texts for HTML, in elements and in quoted attributes.
///
/// It goes by bytes: nothing that follows a special character can hide it. Control characters, which HTML does not allow,
/// become U+FFFD.
struct PageEscaping: MustacheContentType {
    /// The name by which templates choose it.
    static let name = "PAGE"

    func escapeText(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x40 && Self.isSpecial($0) || $0 == 0x60 || $0 == 0x7F }) else {
            return text
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            case UInt8(ascii: "'"): bytes += "&#39;".utf8
            case UInt8(ascii: "`"): bytes += "&#96;".utf8
            case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x80...: bytes.append(byte)
            default: bytes += "\u{FFFD}".utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
        case 0x09, 0x0A, 0x0D: false
        default: byte < 0x20
        }
    }
}
