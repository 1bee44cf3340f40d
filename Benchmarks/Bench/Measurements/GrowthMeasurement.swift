/// The store, its size and its reports when it holds many postbacks.
struct GrowthMeasurement {
    let bench: Workbench
    /// The folder of the baseline's sources, which have their own rows.
    let baselineSource: String?

    func run() async throws {
        let baseline = try? bench.baselineStore()
        guard try await bench.fill(bench.own, from: ".", bench.settings.growthRows, .value) else { return }
        if let baseline, let baselineSource {
            _ = try await bench.fill(baseline, from: baselineSource, bench.settings.growthRows, .baseline)
            try await baseline.settle()
        }
        try await bench.own.settle()
        try await measureSizes()
        for round in 1...bench.settings.rounds { try await measureReports(round) }
        for round in 1...bench.settings.rounds { try await measureFullStore(round) }
        try await bench.own.empty()
        try await baseline?.empty()
    }

    /// Bytes for each postback.
    ///
    /// The one table of the baseline holds what state, bodies and log hold here.
    private func measureSizes() async throws {
        let all = try await bench.attempt { try await size(of: "postback", in: try bench.baselineStore()) }
        for name in ["state", "body", "log"] {
            let own = try await bench.attempt { try await size(of: "postback_\(name)", in: bench.own) }
            try bench.recorder.record([Reading("bytes_\(name)", "B")], .value, round: 1, of: own)
            try bench.recorder.record([Reading("bytes_\(name)", "B")], .baseline, round: 1, of: all)
        }
        for name in ["campaign", "source_app", "conversion_value"] {
            try await bench.take(round: 1, [Reading("bytes_\(name)_daily", "B")]) {
                try await size(of: "\(name)_daily", in: bench.own)
            }
        }
    }

    /// A table with its indexes and partitions.
    private func size(of table: String, in store: MeasuredStore) async throws -> Double {
        let bytes = try await store.number(
            """
            SELECT pg_total_relation_size('attribution.\(table)'::regclass)
                   + coalesce((SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits
                                WHERE inhparent = 'attribution.\(table)'::regclass), 0)
            """)
        return bytes / Double(bench.settings.growthRows)
    }

    /// Apps, days and networks are those of tools/generate-postbacks.sql.
    private func measureReports(_ round: Int) async throws {
        let month = "WHERE day BETWEEN '2025-10-01' AND '2025-10-31'"
        let app = month + " AND advertised_app_id = 525463000"
        let days = "('2025-10-01', '2025-10-31')"
        for (name, selection) in [
            ("campaign_daily_month", "report_campaign_daily \(month)"),
            ("conversion_value_daily_app", "report_conversion_value_daily \(app)"),
            ("conversion_value_all", "report_conversion_value\(days)"),
            ("source_identifier_daily_app", "report_source_identifier_daily \(app)"),
            ("source_identifier_all", "report_source_identifier\(days)"),
            ("source_app_daily_app", "report_source_app_daily \(app)"),
        ] {
            let readings: [Reading<ReportReading>] = [Reading("report_\(name)_ms", "ms") { $0.milliseconds }]
            try await bench.take(round: round, readings) { try await bench.read(selection, in: bench.own) }
        }
    }

    private struct FullStore: Sendable {
        let rate: Double
        /// Bytes of the write-ahead log for each row.
        let logBytes: Double
    }

    /// Nothing is emptied in between, so each round has other rows.
    private func measureFullStore(_ round: Int) async throws {
        let readings: [Reading<FullStore>] = [
            Reading("store_10m", "1/s") { $0.rate }, Reading("store_10m_wal_row", "B") { $0.logBytes },
        ]
        try await bench.compare(round: round, readings) {
            try await storeInFull(bench.own, round)
        } baseline: {
            try await storeInFull(try bench.baselineStore(), round)
        }
    }

    private func storeInFull(_ store: MeasuredStore, _ round: Int) async throws -> FullStore {
        try await store.settle()
        let before = try await store.number("SELECT wal_bytes FROM pg_stat_wal")
        let rate = try await bench.storeRows(store, seed: 1_000 + round)
        let after = try await store.number("SELECT wal_bytes FROM pg_stat_wal")
        return FullStore(rate: rate, logBytes: (after - before) / Double(StoringMeasurement.rowCount))
    }
}

extension Workbench {
    /// Fills a store with made-up postbacks, and records how fast.
    ///
    /// - Returns: Whether it could be filled.
    func fill(
        _ store: MeasuredStore, from source: String, _ rows: Int, _ kind: Sample.Kind, load: CardinalityLoad? = nil
    ) async throws -> Bool {
        let result = try await attempt { try await fill(store, from: source, rows, load: load) }
        try recorder.record([Reading("generate_postbacks", "1/s")], kind, round: 1, of: result)
        return (try? result.get()) != nil
    }

    /// Fills a store with made-up postbacks.
    ///
    /// - Parameter prepare: What is done when it is empty.
    /// - Returns: How many were made in a second.
    @discardableResult
    func fill(
        _ store: MeasuredStore, from source: String, _ rows: Int, load: CardinalityLoad? = nil,
        prepare: () async throws -> Void = {}
    ) async throws -> Double {
        try await store.empty()
        try await prepare()
        return try await rate(of: rows) {
            try await tools.run(
                "psql",
                [
                    "-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", "count=\(rows)", store.url, "-f",
                    source + "/tools/generate-postbacks.sql",
                ] + (load?.variables ?? []).flatMap { ["-v", $0] })
        }
    }
}
