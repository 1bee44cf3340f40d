package import PostgresClient

/// The days that an address chooses, and those with which it compares them.
package struct ChosenDays: Sendable {
    /// Which days stand beside the chosen ones.
    ///
    /// There are as many of them, and they begin before the first chosen one.
    package enum Comparison: Sendable {
        /// Those right before the first chosen one.
        case before
        /// Those a week before.
        case week
        /// Those from a day on.
        case from(PostgresDate)
    }

    /// The names of the parameters.
    static let names = ["days", "from", "to", "compare"]
    /// The number of days if none are given.
    private static let usual: Int32 = 30

    let range: ClosedRange<PostgresDate>
    /// How many days until today these are, so that tomorrow they are others; nil if the address has a day.
    package let last: Int32?
    package let comparison: Comparison

    /// Reads the parameters.
    ///
    /// A first or a last day takes the place of `days`: the form of filters sends a day that somebody enters beside it.
    ///
    /// - Parameters:
    ///   - given: The parameters of an address.
    ///   - refuse: Takes the name of a parameter that is wrong, and why.
    init(_ given: [String: String], today: PostgresDate, refuse: (_ name: String, _ text: String) -> Void) {
        func day(_ name: String, _ label: String) -> PostgresDate? {
            guard let text = given[name] else { return nil }
            if let day = PostgresDate(text) { return day }
            refuse(name, "\(label) must be \(PostgresDate.rule), not “\(text.prefix(40))”.")
            return nil
        }
        var count = Self.usual
        let hasDays = given["from"] != nil || given["to"] != nil
        if !hasDays, let text = given["days"] {
            if text.wholeMatch(of: /[0-9]{1,4}/) != nil, let number = Int32(text), number > 0 {
                count = number
            } else {
                refuse("days", "“days” must be a number from 1 to 9999, not “\(text.prefix(40))”.")
            }
        }
        last = hasDays ? nil : count
        let end = day("to", "Last day") ?? today
        let first = day("from", "First day") ?? Self.day(end, plus: 1 - count)
        if first > end, given["to"] == nil || PostgresDate(given["to"] ?? "") != nil {
            refuse("from", "First day must not be after the last day, \(end).")
        }
        range = min(first, end)...end
        switch given["compare"] {
        case nil: comparison = .before
        case "week": comparison = .week
        case let text?:
            let day = PostgresDate(text)
            if let day, day < range.lowerBound {
                comparison = .from(day)
            } else {
                comparison = .before
                refuse(
                    "compare",
                    "The days to compare with must begin before the first day, \(range.lowerBound): “compare” is such a day, "
                        + "or week.")
            }
        }
    }

    /// The days with which all chosen ones are compared; nil if the calendar, which begins with the year 1, has none.
    package var compared: ClosedRange<PostgresDate>? {
        let count = range.upperBound.daysSince2000 - range.lowerBound.daysSince2000 + 1
        let first =
            switch comparison {
            case .before: Self.day(range.lowerBound, plus: -count)
            case .week: Self.day(range.lowerBound, plus: -7)
            case .from(let day): day
            }
        guard PostgresDate("\(first)") != nil else { return nil }
        return first...Self.day(first, plus: count - 1)
    }

    /// The day so many days later.
    package static func day(_ day: PostgresDate, plus days: Int32) -> PostgresDate {
        PostgresDate(daysSince2000: day.daysSince2000 + days)
    }
}
