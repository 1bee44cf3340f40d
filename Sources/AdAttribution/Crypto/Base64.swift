/// Standard base64 with padding (RFC 4648, section 4), read strictly: no white space, no missing padding, no set bits
/// behind the last byte, so that each byte string has one spelling only.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        return values
    }()

    /// The bytes that the text stands for, or nil where it is not base64.
    package static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        guard !text.isEmpty else { return [] }
        var padding = 0
        if text[text.count - 1] == UInt8(ascii: "=") { padding = text[text.count - 2] == UInt8(ascii: "=") ? 2 : 1 }
        let significant = text.count - padding
        var output: [UInt8] = []
        output.reserveCapacity(text.count / 4 * 3)
        var accumulator: UInt32 = 0
        for index in 0..<significant {
            let value = values[Int(text[index])]
            guard value != 0xFF else { return nil }
            accumulator = accumulator << 6 | UInt32(value)
            if index % 4 == 3 {
                output.append(UInt8(truncatingIfNeeded: accumulator >> 16))
                output.append(UInt8(truncatingIfNeeded: accumulator >> 8))
                output.append(UInt8(truncatingIfNeeded: accumulator))
                accumulator = 0
            }
        }
        switch padding {
        case 1:
            guard accumulator & 0b11 == 0 else { return nil }
            output.append(UInt8(truncatingIfNeeded: accumulator >> 10))
            output.append(UInt8(truncatingIfNeeded: accumulator >> 2))
        case 2:
            guard accumulator & 0b1111 == 0 else { return nil }
            output.append(UInt8(truncatingIfNeeded: accumulator >> 4))
        default:
            break
        }
        return output
    }

    /// The padded text of some bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let remaining = bytes.count - index
            var group = UInt32(bytes[index]) << 16
            if remaining > 1 { group |= UInt32(bytes[index + 1]) << 8 }
            if remaining > 2 { group |= UInt32(bytes[index + 2]) }
            output.append(alphabet[Int(group >> 18)])
            output.append(alphabet[Int(group >> 12 & 63)])
            output.append(remaining > 1 ? alphabet[Int(group >> 6 & 63)] : UInt8(ascii: "="))
            output.append(remaining > 2 ? alphabet[Int(group & 63)] : UInt8(ascii: "="))
            index += 3
        }
        return String(decoding: output, as: UTF8.self)
    }
}
