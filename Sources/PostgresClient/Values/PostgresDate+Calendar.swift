/// Days of the calendar, and their texts.
extension PostgresDate {
    /// Takes a day of the calendar, years 1 … 9999; nil if there is no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        // The year begins in March, so that the leap day is its last (H. Hinnant, "chrono-compatible low-level date
        // algorithms").
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        daysSince2000 = Int32(era * 146_097 + dayOfEra - Self.daysFromMarchOfYearZero)
        // 31 April gives 1 May.
        guard calendarDay == (year, month, day) else { return nil }
    }

    /// Days from 0000-03-01 to 2000-01-01.
    private static let daysFromMarchOfYearZero = 730_425

    private var calendarDay: (year: Int, month: Int, day: Int) {
        let days = Int(daysSince2000) + Self.daysFromMarchOfYearZero
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension PostgresDate: LosslessStringConvertible {
    /// What a text must be, to complete "must be …".
    package static let rule = "a day such as 2026-11-22"

    /// Reads `YYYY-MM-DD`, years 0001 … 9999; nil for anything else.
    package init?(_ description: String) {
        let bytes = Array(description.utf8)
        let hyphen = UInt8(ascii: "-")
        guard bytes.count == 10, bytes[4] == hyphen, bytes[7] == hyphen else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            var value = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The day as `YYYY-MM-DD`, or `infinity` or `-infinity`.
    package var description: String {
        switch daysSince2000 {
        case .max: return "infinity"
        case .min: return "-infinity"
        default: break
        }
        let (year, month, day) = calendarDay
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value.magnitude)
            return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }
}
