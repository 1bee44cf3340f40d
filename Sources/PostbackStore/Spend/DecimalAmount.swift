/// An amount that is not negative, exact to six decimals: 0 to 999999999999.999999.
///
/// It is the column type `numeric(18,6)`.
package struct DecimalAmount: Sendable, Hashable {
    /// The amount in millionths, 0 to 10^18 − 1.
    package let millionths: Int64

    /// What the value must be, to complete "must be …".
    package static let rule = "a number from 0 to 999999999999.999999 with at most 6 decimals, such as 12.50"

    /// Takes millionths; nil if they are out of range.
    package init?(millionths: Int64) {
        guard (0..<1_000_000_000_000_000_000).contains(millionths) else { return nil }
        self.millionths = millionths
    }

    /// Reads digits with at most one decimal point between them; nil for signs, exponents, separators and more decimals.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = parts.first, (1...12).contains(whole.count),
            parts.count == 1 || (1...6).contains(parts[1].count)
        else { return nil }
        let decimals = parts.count == 2 ? Array(parts[1]) : []
        let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: 6 - decimals.count)
        var millionths: Int64 = 0
        for digit in Array(whole) + decimals + zeros {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            // 18 digits fit.
            millionths = millionths * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        self.millionths = millionths
    }
}
