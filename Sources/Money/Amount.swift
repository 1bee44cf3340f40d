/// An exact amount of money, or a rate: 0 to 999,999,999,999.999999, with at most six decimal places.
///
/// It is PostgreSQL's `numeric(18, 6)`. No binary fraction is used, so sums are exact.
package struct Amount: Sendable, Hashable, Comparable {
    /// The amount in millionths of the unit, 0 … 10^18 − 1.
    package let millionths: Int64

    /// Nothing.
    package static let zero = Amount(unchecked: 0)
    /// The least amount above zero.
    package static let millionth = Amount(unchecked: 1)
    /// One unit.
    package static let one = Amount(units: 1)
    /// The greatest amount.
    package static let greatest = Amount(unchecked: limit - 1)

    /// What an amount must be, to complete "must be …".
    package static let rule = rule(from: .zero, to: greatest)

    /// What an amount between two others must be, to complete "must be …".
    package static func rule(from least: Amount, to greatest: Amount) -> String {
        "a number from \(least.text) to \(greatest.text) with at most six decimal places, such as 12.50"
    }

    private static let limit: Int64 = 1_000_000_000_000_000_000

    /// The amount; nil if it is out of range.
    package init?(millionths: Int64) {
        guard (0..<Self.limit).contains(millionths) else { return nil }
        self.millionths = millionths
    }

    /// Takes whole units.
    package init(units: UInt32) {
        millionths = Int64(units) * 1_000_000
    }

    private init(unchecked millionths: Int64) {
        self.millionths = millionths
    }

    /// Reads digits with at most one decimal point between them.
    ///
    /// It is nil for signs, exponents, separators, more than twelve digits before the point and more than six behind
    /// it.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = parts.first, (1...12).contains(whole.count),
            parts.count == 1 || (1...6).contains(parts[1].count)
        else { return nil }
        let places = parts.count == 2 ? Array(parts[1]) : []
        let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: 6 - places.count)
        var millionths: Int64 = 0
        for digit in Array(whole) + places + zeros {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            // 18 digits fit.
            millionths = millionths * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        self.millionths = millionths
    }

    /// Reads a JSON number, exactly.
    ///
    /// It is nil if the number is out of range or has more than six places. `1.50` and `15e-1` are the same amount.
    package init?(number: String) {
        guard let decimal = DecimalNumber(number), !decimal.isNegative || decimal.digits.isEmpty else { return nil }
        // The digits stand for millionths now.
        let zeros = decimal.digits.isEmpty ? 0 : decimal.exponent + 6
        guard zeros >= 0, decimal.digits.count + zeros <= 18 else { return nil }
        millionths = Self.integer(decimal.digits + repeatElement(0, count: zeros))
    }

    /// Reads a JSON number, rounded to six places, halves up; nil if it is out of range.
    package init?(rounding number: String) {
        guard let decimal = DecimalNumber(number) else { return nil }
        let excess = -6 - decimal.exponent
        guard excess > 0 else {
            self.init(number: number)
            return
        }
        guard !decimal.isNegative || decimal.digits.isEmpty else { return nil }
        let kept = decimal.digits.dropLast(excess)
        // The first digit that is dropped; 0 if the number is smaller than a tenth of the last place.
        let next = excess <= decimal.digits.count ? decimal.digits[kept.count] : 0
        guard kept.count <= 18 else { return nil }
        self.init(millionths: Self.integer(kept) + (next >= 5 ? 1 : 0))
    }

    /// The number of at most 18 digits.
    private static func integer(_ digits: some Sequence<UInt8>) -> Int64 {
        digits.reduce(0) { $0 * 10 + Int64($1) }
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
