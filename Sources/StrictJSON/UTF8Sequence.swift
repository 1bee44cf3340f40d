/// Well-formed UTF-8 beyond ASCII (Unicode 15, table 3-7): no overlong forms, no surrogates, nothing above U+10FFFF.
enum UTF8Sequence {
    /// The length of the well-formed sequence that begins at a position, 2 to 4; nil if there is none.
    static func length(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> Int? {
        let length: Int
        let second: ClosedRange<UInt8>
        switch bytes[position] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard bytes.count - position >= length, second.contains(bytes[position + 1]) else { return nil }
        for offset in 2..<max(length, 2) where !(0x80...0xBF).contains(bytes[position + offset]) {
            return nil
        }
        return length
    }
}
