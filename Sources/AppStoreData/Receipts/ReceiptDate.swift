/// A date of a receipt (RFC 3339), such as `2026-11-21T07:12:00Z`; Xcode wrote `2020-07-22T18:33:15+0100` too.
enum ReceiptDate {
    /// Milliseconds since 1970; nil for anything else.
    static func milliseconds(_ text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest = rest.dropFirst()
            return true
        }
        func number(_ count: Int, _ range: ClosedRange<Int64>) -> Int64? {
            let digits = rest.prefix(count)
            guard digits.count == count, digits.allSatisfy(isDigit) else { return nil }
            rest = rest.dropFirst(count)
            let number = value(digits)
            return range.contains(number) ? number : nil
        }
        guard let year = number(4, 1970...9999), take("-"), let month = number(2, 1...12), take("-"),
            let day = number(2, 1...31), take("T"), let hour = number(2, 0...23), take(":"),
            let minute = number(2, 0...59), take(":"), let second = number(2, 0...59),
            day <= lastDay(of: month, in: year)
        else { return nil }
        var fraction: Int64 = 0
        if take(".") {
            let digits = rest.prefix(while: isDigit)
            guard (1...9).contains(digits.count) else { return nil }
            rest = rest.dropFirst(digits.count)
            fraction = value((Array(digits) + [0x30, 0x30]).prefix(3))
        }
        var offset: Int64 = 0
        if !take("Z") {
            let isEast = take("+")
            guard isEast || take("-"), let hours = number(2, 0...23) else { return nil }
            _ = take(":")
            guard let minutes = number(2, 0...59) else { return nil }
            offset = (hours * 60 + minutes) * (isEast ? 60 : -60)
        }
        guard rest.isEmpty else { return nil }
        let seconds = (days(year, month, day) * 24 + hour) * 3_600 + minute * 60 + second - offset
        return seconds * 1_000 + fraction
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func value(_ digits: ArraySlice<UInt8>) -> Int64 { digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) } }

    private static func lastDay(of month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970, in years that begin in March.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let march = month > 2 ? month - 3 : month + 9
        let full = month > 2 ? year : year - 1
        return 365 * full + full / 4 - full / 100 + full / 400 + (153 * march + 2) / 5 + day - 719_469
    }
}
