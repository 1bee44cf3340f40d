/// Hexadecimal digits, one at a time.
package enum Hexadecimal {
    /// The value of an ASCII hexadecimal digit in either case, or nil.
    @inlinable @inline(__always)
    package static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x61...0x66: byte - 0x61 + 10
        case 0x41...0x46: byte - 0x41 + 10
        default: nil
        }
    }

    /// The lower-case ASCII digit of a value 0…15.
    @inlinable @inline(__always)
    package static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? 0x30 + nibble : 0x61 + nibble - 10
    }

    /// The bytes of a text with two digits for each; nil if it is something else.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let nibbles = text.utf8.map(nibble)
        guard nibbles.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: nibbles.count, by: 2) {
            guard let high = nibbles[index], let low = nibbles[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Bytes as lower-case digits.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 15))
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
