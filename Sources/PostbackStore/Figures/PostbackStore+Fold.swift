import PostgresClient

extension PostbackStore {
    /// Adds what the log holds beyond the daily tables to them, one lane after the other; reports show the same before
    /// and after.
    ///
    /// One server folds at a time. If another is at it, this returns at once.
    /// - Parameter limit: About how many events are folded at once, in one transaction.
    /// - Returns: how many events were folded.
    @discardableResult
    public func fold(limit: Int = 50_000) async throws -> Int {
        var total = 0
        for lane in try await lanes().lanes {
            while let count = try await fold(lane.number, limit: limit) {
                total += count
                if count < limit { break }
            }
        }
        return total
    }

    /// Folds a part of one lane, whole batches only; nil if another server is at it.
    func fold(_ lane: Int16, limit: Int) async throws -> Int? {
        var bindings = PostgresBindings()
        bindings.append(lane)
        bindings.append(Int64(limit))
        let parameters = bindings
        return try await pool.withTransaction("fold") { connection in
            guard try connection.query(Self.foldLock).first?.decode(Bool.self, at: 0) == true else { return nil }
            let count = try connection.query(Self.foldLane, parameters).first?.decode(Int64.self, at: 0)
            return Int(count ?? 0)
        }
    }

    /// Lets one fold at a time, to the end of the transaction; any fixed number does.
    private static let foldLock = PostgresStatement("fold_lock", "SELECT pg_try_advisory_xact_lock(7421001643)")

    private static let foldLane = PostgresStatement("fold_lane", "SELECT attribution.fold($1, $2)")
}
