/// The daily tables and the reports over many postbacks, with a hundred thousand sources beside 20.
struct CardinalityGrowth {
    let bench: Workbench

    func run() async throws {
        let rows = bench.settings.growthRows
        let equal = try await bench.cluster.makeStore("cardinality_equal", programs: bench.own.programs)
        guard try await bench.fill(bench.own, from: ".", rows, .value, load: .zipf),
            try await bench.fill(equal, from: ".", rows, .baseline, load: .equal)
        else { return }
        for store in [bench.own, equal] {
            // The script folds figures, and no answers.
            try await bench.runServer("fold", on: store)
            try await store.run("VACUUM ANALYZE")
            try await store.settle()
        }
        try await measureSizes(equal)
        for round in 1...bench.settings.rounds {
            for (name, selection) in Self.reports {
                let readings: [Reading<ReportReading>] = [
                    Reading("cardinality_report_\(name)_ms", "ms") { $0.milliseconds },
                    Reading("cardinality_report_\(name)_rows", "rows") { $0.rows },
                ]
                try await bench.compare(round: round, readings) {
                    try await bench.read(selection, in: bench.own)
                } baseline: {
                    try await bench.read(selection, in: equal)
                }
            }
        }
        try await bench.own.empty()
        try await equal.empty()
    }

    /// Bytes and rows for each postback.
    private func measureSizes(_ equal: MeasuredStore) async throws {
        let count = bench.settings.growthRows
        let groups = TableGroup.allCases.map { group in
            Reading<[TableGroup: Double]>("cardinality_growth_bytes_\(group.rawValue)", "B") { $0[group] }
        }
        try await bench.compare(round: 1, groups) {
            try await bench.own.bytes(forEachOf: count)
        } baseline: {
            try await equal.bytes(forEachOf: count)
        }
        for table in try await bench.own.dailyTables() {
            let readings: [Reading<(bytes: Double, rows: Double)>] = [
                Reading("cardinality_growth_bytes_\(table)", "B") { $0.bytes },
                Reading("cardinality_growth_rows_\(table)", "rows") { $0.rows },
            ]
            try await bench.compare(round: 1, readings) {
                try await size(of: table, in: bench.own)
            } baseline: {
                try await size(of: table, in: equal)
            }
        }
    }

    private func size(of table: String, in store: MeasuredStore) async throws -> (bytes: Double, rows: Double) {
        let count = Double(bench.settings.growthRows)
        let bytes = try await store.number("SELECT pg_total_relation_size('attribution.\(table)'::regclass)")
        return (bytes / count, try await store.number("SELECT count(*) FROM attribution.\(table)") / count)
    }

    /// Reports of a month, of everything and of one app; apps and days are those of tools/generate-postbacks.sql.
    private static let reports: [(name: String, selection: String)] = {
        let month = "'2025-10-01', '2025-10-31'"
        let app = "525463000"
        let views = ["campaign_daily", "source_app_daily"].flatMap { name in
            let all = "report_\(name) WHERE day BETWEEN '2025-10-01' AND '2025-10-31'"
            return [("\(name)_all", all), ("\(name)_app", "\(all) AND advertised_app_id = \(app)")]
        }
        let sums = ["conversion_value", "source_identifier"].map { ("\($0)_all", "report_\($0)(\(month))") }
        let answers = [
            "install_campaign", "install_source_identifier", "install_source", "arrival_source", "install_app_source",
            "install_traits",
        ].flatMap { name in
            [("\(name)_all", "report_\(name)(\(month))"), ("\(name)_app", "report_\(name)(\(month), \(app))")]
        }
        return views + sums + answers
    }()
}
