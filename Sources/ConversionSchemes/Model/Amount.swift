import Encodings

/// An exact amount of money: 0 to 999,999,999,999.999999, with at most six decimal places.
///
/// It is PostgreSQL's `numeric(18, 6)`. No binary fraction is used, so sums are exact.
package struct Amount: Sendable, Hashable, Comparable {
    /// The amount in millionths of the currency's unit, 0 … 10^18 − 1.
    package let millionths: Int64

    /// No money.
    package static let zero = Amount(unchecked: 0)

    /// What an amount must be, to complete "must be …".
    package static let rule = "a number from 0 to 999999999999.999999 with at most six decimal places"

    private static let limit: Int64 = 1_000_000_000_000_000_000

    /// The amount; nil if it is out of range.
    package init?(millionths: Int64) {
        guard (0..<Self.limit).contains(millionths) else { return nil }
        self.millionths = millionths
    }

    private init(unchecked millionths: Int64) {
        self.millionths = millionths
    }

    /// Reads a JSON number, exactly.
    ///
    /// It is nil if the number is out of range or has more than six places. `1.50` and `15e-1` are the same amount.
    package init?(_ number: String) {
        guard let decimal = DecimalNumber(number), !decimal.isNegative || decimal.digits.isEmpty else { return nil }
        var (digits, exponent) = (decimal.digits, decimal.exponent)
        // The digits stand for millionths now.
        exponent += 6
        guard exponent >= 0, digits.count + exponent <= 18 || digits.isEmpty else { return nil }
        if !digits.isEmpty { digits += repeatElement(0, count: exponent) }
        millionths = digits.reduce(0) { $0 * 10 + Int64($1) }
    }

    /// Reads a JSON number, rounded to six places; nil if it is out of range.
    package init?(rounding number: String) {
        guard let decimal = DecimalNumber(number) else { return nil }
        let excess = -6 - decimal.exponent
        guard excess > 0 else {
            self.init(number)
            return
        }
        guard !decimal.isNegative || decimal.digits.isEmpty else { return nil }
        let kept = decimal.digits.dropLast(excess)
        // The first digit that is dropped; 0 if the number is smaller than a tenth of the last place.
        let next = excess <= decimal.digits.count ? decimal.digits[kept.count] : 0
        guard kept.count <= 18 else { return nil }
        self.init(millionths: kept.reduce(0) { $0 * 10 + Int64($1) } + (next >= 5 ? 1 : 0))
    }

    /// The amount if it has no decimal places; nil otherwise.
    package var wholeUnits: Int64? {
        millionths % 1_000_000 == 0 ? millionths / 1_000_000 : nil
    }

    /// The amount in plain decimal without needless zeros, such as `4.99`.
    package var text: String {
        let (whole, rest) = millionths.quotientAndRemainder(dividingBy: 1_000_000)
        guard rest > 0 else { return String(whole) }
        var places = String(rest)
        places = String(repeating: "0", count: 6 - places.utf8.count) + places
        while places.hasSuffix("0") { places.removeLast() }
        return "\(whole).\(places)"
    }

    /// The order of the amounts.
    package static func < (left: Amount, right: Amount) -> Bool { left.millionths < right.millionths }
}

/// The digits and the exponent of a JSON number.
private struct DecimalNumber {
    var isNegative = false
    /// Without zeros at either end; empty for zero.
    var digits: [UInt8] = []
    /// The power of ten of the last digit.
    var exponent = 0

    /// Reads a number that the scanner accepts; nil if it is another text or its exponent has more than four digits.
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
