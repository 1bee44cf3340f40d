/// The digits and the exponent of a JSON number (RFC 8259, section 6), without binary fractions.
struct DecimalNumber {
    private(set) var isNegative = false
    /// Without zeros at either end; empty for zero.
    private(set) var digits: [UInt8] = []
    /// The power of ten of the last digit; 0 for zero.
    private(set) var exponent = 0

    /// Reads a number; nil if it is another text, or if its exponent has more than four digits.
    init?(_ text: String) {
        var rest = Substring(text).utf8
        if rest.first == UInt8(ascii: "-") {
            isNegative = true
            rest.removeFirst()
        }
        var isFraction = false
        while let byte = rest.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
            rest.removeFirst()
            if byte == UInt8(ascii: "."), !isFraction {
                isFraction = true
                continue
            }
            guard (0x30...0x39).contains(byte) else { return nil }
            digits.append(byte - 0x30)
            if isFraction { exponent -= 1 }
        }
        guard !digits.isEmpty else { return nil }
        if !rest.isEmpty {
            guard let power = Int(String(Substring(rest.dropFirst()))), power.magnitude <= 9_999 else { return nil }
            exponent += power
        }
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        digits = Array(digits.drop { $0 == 0 })
        if digits.isEmpty { exponent = 0 }
    }
}
