extension TestDatabase {
    /// Returns when so many sessions wait for an advisory lock of this database.
    package func waitForWaiters(_ count: Int) async throws {
        try await eventually("\(count) sessions wait") {
            let waiting = try await value(
                """
                SELECT count(*) FROM pg_locks
                 WHERE locktype = 'advisory' AND NOT granted
                   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """)
            return waiting == "\(count)" ? true : nil
        }
    }
}
