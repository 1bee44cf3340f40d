import PageViews
package import PostgresClient
package import Reports

extension PageFilters {
    /// The days that totals read: from the first one that may be compared to the last chosen one.
    package var daysOfTotals: ClosedRange<PostgresDate> { (chosen.compared ?? days).lowerBound...days.upperBound }

    /// A statement of the first day of an install that has postbacks in the environment; NULL if none has.
    ///
    /// It is the first row of each app in the sums of all campaigns, which the key of the table finds at once. These
    /// stand under the lines of `attribution.app_line`, which numbers all lines and so takes longer.
    package func firstDay(_ values: inout StatementValues) -> String {
        """
        SELECT min(earliest.day) AS begins
          FROM (SELECT min(line) AS app_line
                  FROM attribution.line
                 WHERE environment = \(values.bind(.text(environment))) AND NOT developer_copy
                 GROUP BY network, campaign_type, advertised_app_id) AS app
         CROSS JOIN LATERAL (
               SELECT day
                 FROM attribution.folded_answer
                WHERE answer_table = attribution.answer_table('install', 'version') AND line = app.app_line AND did_win
                ORDER BY day
                LIMIT 1) AS earliest
        """
    }

    /// The days that stand beside the complete ones, as expressions of SQL; nil if the calendar has none.
    ///
    /// There are as many of them. They count only if none is before the first day with postbacks: a part of a period
    /// says nothing beside a whole one.
    ///
    /// - Parameter last: The column of the last complete day. Its row also has `first_day`, the first chosen one, and
    ///   `begins`, the first day with postbacks.
    /// - Returns: The first and the last day, and whether they count.
    package func daysBefore(
        upTo last: String, _ values: inout StatementValues
    ) -> (first: String, last: String, condition: String)? {
        guard chosen.compared != nil else { return nil }
        let first =
            switch chosen.comparison {
            case .before: "first_day - (\(last) - first_day + 1)"
            case .week: "first_day - 7"
            case .from(let day): values.bind(.date(day)) + "::date"
            }
        return (first, "\(first) + (\(last) - first_day)", "\(first) >= begins")
    }

    /// Which days totals are of, and which stand beside them; nil if nothing is known of the chosen days.
    ///
    /// - Parameters:
    ///   - all: The row of all chosen days, with `days`, `complete_up_to` and `begins`.
    ///   - before: The row of the days before, with `first_day` and `last_day`; empty if there is none.
    ///   - none: What it means that no day is complete.
    package func textOfTotals(all: [String: String], before: [String: String], none: String) -> String? {
        guard let count = all["days"], let last = all["complete_up_to"].flatMap({ PostgresDate($0) }) else {
            return nil
        }
        guard last >= days.lowerBound else {
            return (count == "1" ? "This day is not" : "None of these \(count) days is") + " complete yet: \(none)"
        }
        let complete = last.daysSince2000 - days.lowerBound.daysSince2000 + 1
        let which =
            "\(complete)" == count
            ? (complete == 1 ? "This day is complete." : "All \(count) days are complete.")
            : "Totals are of the days that are complete, \(complete) of \(count): "
                + "\(DayText.span("\(days.lowerBound)", "\(last)"))."
        guard let first = before["first_day"], let end = before["last_day"] else {
            let start =
                switch chosen.comparison {
                case .before: ChosenDays.day(days.lowerBound, plus: -complete)
                case .week: ChosenDays.day(days.lowerBound, plus: -7)
                case .from(let day): day
                }
            guard let begins = all["begins"].flatMap({ PostgresDate($0) }) else { return which }
            // Else nothing is known of these days with these filters.
            guard begins > start else { return which }
            return which
                + " There is no full period before: the first day with postbacks in \(environment) is \(begins)."
        }
        let compared =
            switch chosen.comparison {
            case .before: complete == 1 ? "the day before it" : "the \(complete) days before them"
            case .week: complete == 1 ? "the day a week before it" : "\(complete) days, a week before them"
            case .from: complete == 1 ? "the day that is chosen" : "\(complete) days that are chosen"
            }
        return which + " Before: \(compared), \(DayText.span(first, end))."
    }
}
