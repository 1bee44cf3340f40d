import AdAttribution
package import PostgresClient

extension PageFilters {
    /// A statement of the last days of which no more postbacks can arrive, if versions have windows: a column for each of
    /// some windows.
    ///
    /// So a day without postbacks is complete too, if it is long ago. Without OFFSET, PostgreSQL would ask up to when answers
    /// are folded at each place where that is used.
    package func lastCompleteDays(_ windows: [(window: Int, column: String)]) -> String {
        let isDevelopment = environment == AttributionEnvironment.development.rawValue
        let cells = windows.map { window, column in
            """
            folded - (attribution.day_of(attribution.complete_from(folded, true, \(window)::smallint, NULL, \(isDevelopment))
                                             - interval '1 microsecond') + 1 - folded) AS \(column)
            """
        }
        return """
            SELECT \(cells.joined(separator: ",\n       "))
              FROM (SELECT attribution.day_of((SELECT attribution.answers_up_to())) AS folded OFFSET 0) AS answers
            """
    }

    /// Whether a day is today or after it.
    package func isNotOver(_ day: String) -> Bool { day >= "\(today)" }

    /// A day so many days later, or the day itself if the calendar ends before.
    package static func day(_ day: PostgresDate, _ later: Int32) -> PostgresDate {
        let other = PostgresDate(daysSince2000: day.daysSince2000 + later)
        return PostgresDate("\(other)") == nil ? day : other
    }
}
