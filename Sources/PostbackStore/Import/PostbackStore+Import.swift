public import PostgresClient

extension PostbackStore {
    /// How far an archive is; begins it where it is new.
    public func importProgress(
        fingerprint: [UInt8], file: String, size: Int64, time: PostgresTimestamp
    ) async throws -> ImportProgress {
        try await pool.withTransaction("import_begin") { connection in
            var bindings = PostgresBindings()
            bindings.append(bytea: fingerprint)
            bindings.append(file)
            bindings.append(size)
            bindings.append(time)
            _ = try connection.query(Self.beginImport, bindings)
            var key = PostgresBindings()
            key.append(bytea: fingerprint)
            guard let row = try connection.query(Self.selectImport, key).first else { throw ImportError.movedOn }
            return try ImportProgress(row, fingerprint: fingerprint)
        }
    }

    /// Counts a part of an archive by the rules of `record` and moves the progress on, in one transaction.
    ///
    /// - Returns: the progress behind the part.
    /// - Throws: `ImportError.movedOn` where another import was faster; what the database threw, where it was not about
    ///   one delivery's values. Nothing of the part is counted then.
    public func record(_ deliveries: [PostbackDelivery], advancing part: ImportPart) async throws -> ImportProgress {
        do {
            return try await recordTogether(PendingDeliveries(deliveries)) { connection, outcomes in
                try Self.advance(part, outcomes.map { .success($0) }, over: connection)
            }.result
        } catch let error as PostgresError where error.isAboutValues {
            // A delivery that the database refuses fails alone. What its neighbours did is written before the progress
            // is: killed in between, they are duplicates the next time.
            let results = await record(deliveries)
            if let failure = results.lazy.compactMap(\.failureOfDatabase).first { throw failure }
            return try await pool.withTransaction("import_advance") { connection in
                try Self.advance(part, results, over: connection)
            }
        }
    }

    private static func advance(
        _ part: ImportPart, _ results: [Result<DeliveryOutcome, any Error>],
        over connection: isolated PostgresConnection
    ) throws -> ImportProgress {
        var counts = ImportCounts()
        counts.refused = part.refused
        for result in results {
            switch result {
            case .success(let outcome): counts.count(outcome)
            case .failure: counts.refused += 1
            }
        }
        let before = part.progress
        let after = ImportProgress(
            fingerprint: before.fingerprint, size: before.size, position: part.end, lines: before.lines + part.lines,
            counts: before.counts + counts)
        var bindings = PostgresBindings()
        bindings.append(bytea: after.fingerprint)
        bindings.append(before.position)
        bindings.append(after.position)
        bindings.append(after.lines)
        bindings.append(after.counts.accepted)
        bindings.append(after.counts.raised)
        bindings.append(after.counts.duplicates)
        bindings.append(after.counts.refused)
        bindings.append(part.time)
        guard try connection.query(advanceImport, bindings).affectedRows == 1 else { throw ImportError.movedOn }
        return after
    }

    private static let beginImport = PostgresStatement(
        "import_begin",
        """
        INSERT INTO attribution.import_progress (
            fingerprint, file, size, position, lines, accepted, raised, duplicates, refused, started_at, updated_at)
        VALUES ($1, $2, $3, 0, 0, 0, 0, 0, 0, $4, $4)
        ON CONFLICT (fingerprint) DO NOTHING
        """)

    private static let selectImport = PostgresStatement(
        "import_select",
        """
        SELECT size, position, lines, accepted, raised, duplicates, refused
          FROM attribution.import_progress
         WHERE fingerprint = $1
        """)

    private static let advanceImport = PostgresStatement(
        "import_advance",
        """
        UPDATE attribution.import_progress
           SET position = $3, lines = $4, accepted = $5, raised = $6, duplicates = $7, refused = $8, updated_at = $9
         WHERE fingerprint = $1 AND position = $2
        """)
}

extension ImportProgress {
    fileprivate init(_ row: PostgresRow, fingerprint: [UInt8]) throws {
        var columns = ColumnCursor(row)
        self.fingerprint = fingerprint
        size = try columns.next()
        position = try columns.next()
        lines = try columns.next()
        var counts = ImportCounts()
        counts.accepted = try columns.next()
        counts.raised = try columns.next()
        counts.duplicates = try columns.next()
        counts.refused = try columns.next()
        self.counts = counts
    }
}

extension Result<DeliveryOutcome, any Error> {
    /// What kept the database from working, as opposed to what it refused.
    fileprivate var failureOfDatabase: (any Error)? {
        guard case .failure(let error) = self else { return nil }
        return (error as? PostgresError)?.isAboutValues == true ? nil : error
    }
}
