import PostgresClient

/// The statements about named readers of the log.
enum LogReaderStatements {
    /// Creates a reader with a place in each lane.
    ///
    /// If the name exists, no row is added.
    static let create = PostgresStatement(
        "log_reader_create",
        """
        INSERT INTO attribution.log_reader (reader, lane, position, ordinal, moved_at)
        SELECT $1, lane, coalesce(place.position, 0), coalesce(place.ordinal, 0), clock_timestamp()
          FROM attribution.lane
          LEFT JOIN unnest($2::smallint[], $3::bigint[], $4::smallint[]) AS place (lane, position, ordinal) USING (lane)
         WHERE NOT EXISTS (SELECT FROM attribution.log_reader WHERE reader = $1)
         ORDER BY lane
        ON CONFLICT DO NOTHING
        """)

    /// Locks a reader until the transaction ends.
    static let hold = PostgresStatement(
        "log_reader_hold", "SELECT lane FROM attribution.log_reader WHERE reader = $1 ORDER BY lane FOR UPDATE")

    /// The places of a reader.
    static let places = PostgresStatement(
        "log_reader_places", "SELECT lane, position, ordinal FROM attribution.log_reader WHERE reader = $1")

    /// Moves a reader in some lanes.
    ///
    /// The reader must be locked.
    static let move = PostgresStatement(
        "log_reader_move",
        """
        INSERT INTO attribution.log_reader (reader, lane, position, ordinal, moved_at)
        SELECT $1, lane, place.position, place.ordinal, clock_timestamp()
          FROM attribution.lane
          JOIN unnest($2::smallint[], $3::bigint[], $4::smallint[]) AS place (lane, position, ordinal) USING (lane)
        ON CONFLICT (reader, lane) DO UPDATE
           SET position = excluded.position, ordinal = excluded.ordinal, moved_at = excluded.moved_at
        """)

    /// Removes a reader.
    static let remove = PostgresStatement("log_reader_remove", "DELETE FROM attribution.log_reader WHERE reader = $1")

    /// The readers with their places, at most as many as parameter 2.
    ///
    /// Those that parameter 1 names come first, in its order, then the others by name.
    static let all = PostgresStatement(
        "log_reader_all",
        """
        SELECT lane, position, ordinal, reader
          FROM attribution.log_reader
         WHERE reader IN (SELECT reader FROM attribution.log_reader
                           GROUP BY reader ORDER BY array_position($1, reader), reader LIMIT $2)
         ORDER BY array_position($1, reader), reader
        """)

    /// The places of rows that begin with lane, position and ordinal.
    ///
    /// A negative number means the beginning.
    static func places(_ rows: [ColumnCursor]) throws -> [Int16: LogPlace] {
        var places: [Int16: LogPlace] = [:]
        for var columns in rows {
            places[try columns.next()] = try LogPlace(position: columns.next(), ordinal: columns.next()) ?? .beginning
        }
        return places
    }
}
