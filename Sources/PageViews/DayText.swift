/// Days and times as people read them.
package enum DayText {
    /// Some days: `29 Oct–27 Nov 2026`, `29 Dec 2025–3 Jan 2026`, or `27 Nov 2026`.
    ///
    /// - Parameters:
    ///   - first: A day such as `2026-10-29`; any other text stays as it is.
    ///   - last: Likewise.
    package static func range(_ first: String, _ last: String) -> String {
        let end = ChartNumber.place(last, isOneYear: false)
        guard first != last else { return end }
        return ChartNumber.place(first, isOneYear: first.prefix(4) == last.prefix(4)) + "–" + end
    }

    /// From a day to a day: `2026-11-21 to 2026-11-27`, or the day alone if it is one.
    package static func span(_ first: String, _ last: String) -> String {
        first == last ? first : "\(first) to \(last)"
    }

    /// A time in UTC, in seconds: `2026-11-27 03:14:52`.
    ///
    /// - Parameter text: A time such as `2026-11-27T03:14:52.008Z`; any other text stays as it is.
    package static func moment(_ text: String) -> String {
        let (day, time) = (text.prefix(10), text.dropFirst(11).prefix(8))
        guard isDay(day), ["T", " "].contains(text.dropFirst(10).first), isTime(time), isEnd(text.dropFirst(19)) else {
            return text
        }
        return "\(day) \(time)"
    }

    /// Whether a text has the form of a day, such as `2026-11-27`.
    static func isDay(_ text: Substring) -> Bool {
        matches(text, "0000-00-00")
    }

    /// Whether a text has the form of a time of a day, such as `03:14:52`.
    private static func isTime(_ text: Substring) -> Bool { matches(text, "00:00:00") }

    /// Whether a text is what may stand behind the seconds: a fraction, a Z, both or nothing.
    private static func isEnd(_ text: Substring) -> Bool {
        let fraction = text.last == "Z" ? text.dropLast() : text
        return fraction.isEmpty
            || fraction.first == "." && fraction.utf8.count > 1 && fraction.utf8.dropFirst().allSatisfy(isDigit)
    }

    /// Whether a text has a digit where the form has a 0, and all else is as in the form.
    private static func matches(_ text: Substring, _ form: StaticString) -> Bool {
        form.withUTF8Buffer { form in
            text.utf8.count == form.count
                && zip(text.utf8, form).allSatisfy { $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
