/// Percent-encoding of addresses and forms (RFC 3986, `application/x-www-form-urlencoded`).
package enum PercentEncoding {
    /// A query with these pairs of names and values.
    ///
    /// Only unreserved characters stay as they are.
    package static func query(of pairs: [(name: String, value: String)]) -> String {
        var text: [UInt8] = []
        for (name, value) in pairs {
            if !text.isEmpty { text.append(UInt8(ascii: "&")) }
            encode(name, into: &text)
            text.append(UInt8(ascii: "="))
            encode(value, into: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A text in which only unreserved characters stay as they are.
    package static func text(_ text: String) -> String {
        var output: [UInt8] = []
        encode(text, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private static func encode(_ text: String, into output: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            // The unreserved characters of RFC 3986, section 2.3.
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                output.append(byte)
            default:
                output += Array("%".utf8) + [byte >> 4, byte & 15].map { $0 < 10 ? 0x30 + $0 : 0x41 + $0 - 10 }
            }
        }
    }
}
