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
        guard text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z?/) != nil else {
            return text
        }
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
    }

    /// Whether a text has the form of a day, such as `2026-11-27`.
    static func isDay(_ text: Substring) -> Bool {
        guard text.utf8.count == 10 else { return false }
        return text.utf8.enumerated().allSatisfy { place, byte in
            [4, 7].contains(place) ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
    }
}
