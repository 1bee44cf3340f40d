package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// Begins a backfill, or goes on with one that has not ended.
    ///
    /// One that has ended begins anew, since Apple's history may have grown. What is stored already counts once.
    ///
    /// - Returns: How far it is.
    package func begin(_ backfill: StoreBackfill) async throws -> StoreBackfill.Place {
        var bindings = backfill.bindings
        bindings.append(clock())
        let parameters = bindings
        return try await pool.withStatement("store_backfill_begin") { connection in
            guard let row = try connection.query(Self.beginBackfill, parameters).first else { return .beginning }
            return StoreBackfill.Place(token: try row.decode(at: 0), pages: try row.decode(at: 1))
        }
    }

    /// Says how far a backfill is: after the notifications up to there were stored.
    ///
    /// - Parameter isOver: Whether there are no more pages.
    package func advance(_ backfill: StoreBackfill, to place: StoreBackfill.Place, isOver: Bool) async throws {
        var bindings = backfill.bindings
        bindings.append(place.token)
        bindings.append(place.pages)
        bindings.append(clock())
        bindings.append(isOver)
        let parameters = bindings
        try await pool.withStatement("store_backfill_advance") { connection in
            _ = try connection.query(Self.advanceBackfill, parameters)
        }
    }

    private static let beginBackfill = PostgresStatement(
        "store_backfill_begin",
        """
        INSERT INTO attribution.store_backfill AS stored (
            bundle_id, environment, from_day, to_day, pagination_token, page, updated_at, finished_at)
        VALUES ($1, $2, $3, $4, NULL, 0, $5, NULL)
        ON CONFLICT (bundle_id, environment, from_day, to_day) DO UPDATE
           SET pagination_token = CASE WHEN stored.finished_at IS NULL THEN stored.pagination_token END,
               page = CASE WHEN stored.finished_at IS NULL THEN stored.page ELSE 0 END,
               updated_at = excluded.updated_at, finished_at = NULL
        RETURNING pagination_token, page
        """)

    private static let advanceBackfill = PostgresStatement(
        "store_backfill_advance",
        """
        UPDATE attribution.store_backfill
           SET pagination_token = $5, page = $6, updated_at = $7, finished_at = CASE WHEN $8 THEN $7 END
         WHERE bundle_id = $1 AND environment = $2 AND from_day = $3 AND to_day = $4
        """)
}
