/// A range of small numbers as text, such as `1-15`.
enum NumberRange {
    /// Reads two numbers of one or two digits; nil if one is out of range, or if the second is not greater.
    static func read(_ text: String, within limits: ClosedRange<Int>) -> ClosedRange<Int>? {
        let ends = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2, let low = number(ends[0]), let high = number(ends[1]), low < high,
            limits.contains(low), limits.contains(high)
        else { return nil }
        return low...high
    }

    private static func number(_ digits: Substring.UTF8View) -> Int? {
        guard (1...2).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.count == 1 || digits.first != 0x30
        else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }
}
