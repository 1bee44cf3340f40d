extension TestDatabase {
    /// Makes everything that was written today have been written so many days ago.
    ///
    /// No server may write meanwhile. The times of receipt do not change.
    package func moveToday(back days: Int) async throws {
        // The owner makes the partition, which on a cluster can't be in one transaction with what we write.
        try await run(
            "SELECT attribution.add_partitions((clock_timestamp() AT TIME ZONE 'UTC')::date - \(days), 1)")
        try await run(
            """
            DO $$
            DECLARE
                moved bigint := \(days)::bigint << 32;
                today date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
                first bigint := attribution.first_position(today);
            BEGIN
                UPDATE attribution.postback_state SET position = position - moved WHERE position >= first;
                UPDATE attribution.postback_state SET raised_position = raised_position - moved
                 WHERE raised_position >= first;
                UPDATE attribution.postback_body SET position = position - moved WHERE position >= first;
                UPDATE attribution.postback_log SET position = position - moved WHERE position >= first;
                UPDATE attribution.log_reader SET position = position - moved WHERE position >= first;
            END $$;
            """)
    }

    /// How many days ago the days of the bodies or of the log are that have rows, the oldest first.
    package func daysWithRows(of part: String) async throws -> [Int] {
        try await column(
            """
            SELECT DISTINCT (clock_timestamp() AT TIME ZONE 'UTC')::date - attribution.day_of_writing(position) AS days
              FROM attribution.postback_\(part) ORDER BY days DESC
            """
        ).compactMap { $0.flatMap { Int($0) } }
    }
}
