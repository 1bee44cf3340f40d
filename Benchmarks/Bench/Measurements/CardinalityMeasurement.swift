/// What many sources cost: a hundred thousand by Zipf's law, beside 20 equal ones in the same round.
struct CardinalityMeasurement {
    let bench: Workbench

    func runOverHTTP(round: Int) async throws {
        try await bench.compare(round: round, Self.posting) {
            try await post(.zipf)
        } baseline: {
            try await post(.equal)
        }
        try await bench.own.empty()
    }

    /// Without a server: batches, import, folding and bytes.
    func runInStore(round: Int) async throws {
        for isWarm in [false, true] {
            let figure = "cardinality_store_" + (isWarm ? "warm" : "cold")
            try await bench.compare(round: round, [Reading(figure, "1/s")]) {
                try await storeRows(.zipf, round, isWarm ? ["--warm"] : [])
            } baseline: {
                try await storeRows(.equal, round, isWarm ? ["--warm"] : [])
            }
        }
        let importing: [Reading<(cold: Double, warm: Double)>] = [
            Reading("cardinality_import_cold", "1/s") { $0.cold },
            Reading("cardinality_import_warm", "1/s") { $0.warm },
        ]
        try await bench.compare(round: round, importing) {
            try await importArchives(.zipf)
        } baseline: {
            try await importArchives(.equal)
        }
        try await bench.compare(round: round, Self.folding) {
            try await fold(.zipf, round)
        } baseline: {
            try await fold(.equal, round)
        }
        try await bench.own.empty()
    }

    /// What a server made of a load on an empty database, again with everything known, and after it was started anew.
    private struct Posting: Sendable {
        let cold: HTTPReading
        let warm: HTTPReading
        let restarted: HTTPReading
    }

    private static var posting: [Reading<Posting>] {
        [("cold", \Posting.cold), ("warm", \Posting.warm), ("restart", \Posting.restarted)].flatMap { name, path in
            [
                Reading("cardinality_http_\(name)", "1/s") { $0[keyPath: path].rate },
                Reading("cardinality_http_\(name)_cpu_server", "us") { $0[keyPath: path].serverMicros },
                Reading("cardinality_http_\(name)_cpu_postgres", "us") { $0[keyPath: path].clusterMicros },
            ]
        }
    }

    private func post(_ load: CardinalityLoad) async throws -> Posting {
        let store = bench.own
        try await store.empty()
        let (cold, warm) = try await bench.withServer(store) { server in
            let cold = try await bench.measure(HTTPLoad(postbacks: load.file(0)), on: server, of: store)
            // Nothing that the first load has not brought.
            let known = try await bench.first(cold.requests, of: load.file(1))
            return (cold, try await bench.measure(HTTPLoad(postbacks: known), on: server, of: store))
        }
        let known = try await bench.first(cold.requests, of: load.file(2))
        let restarted = try await bench.withServer(store) { server in
            try await bench.measure(HTTPLoad(postbacks: known, seconds: 1), on: server, of: store)
        }
        let answered = cold.requests + warm.requests + restarted.requests
        let stored = Int(try await store.count())
        guard stored >= answered else { throw BenchError("LOST POSTBACKS: \(answered) answered, \(stored) stored") }
        return Posting(cold: cold, warm: warm, restarted: restarted)
    }

    private func storeRows(_ load: CardinalityLoad, _ round: Int, _ options: [String]) async throws -> Double {
        try await bench.own.empty()
        return try await storeMore(load, round, options)
    }

    private func storeMore(_ load: CardinalityLoad, _ round: Int, _ options: [String]) async throws -> Double {
        try await bench.number(
            bench.own.programs + "/bench",
            [
                "store", "--url", bench.own.url, "--count", String(StoringMeasurement.rowCount), "--seed",
                String(round), "--load", load.rawValue,
            ] + options)
    }

    /// Into an empty store, and into one that knows everything but the transactions.
    private func importArchives(_ load: CardinalityLoad) async throws -> (cold: Double, warm: Double) {
        try await bench.own.empty()
        func rate(_ occasion: Int) async throws -> Double {
            let archive = bench.postbacks(try await bench.first(BenchInputs.importCount, of: load.file(occasion)))
            return try await bench.rate(of: BenchInputs.importCount) {
                try await bench.runServer("import", archive)
            }
        }
        let rates = (cold: try await rate(0), warm: try await rate(1))
        let stored = Int(try await bench.own.count())
        guard stored == 2 * BenchInputs.importCount else { throw BenchError("the import stored \(stored) postbacks") }
        return rates
    }

    /// The processor time of PostgreSQL for an event that is folded, and the bytes for a postback then.
    private struct Folding: Sendable {
        let cold: Double?
        let warm: Double?
        let bytes: [TableGroup: Double]
    }

    private static var folding: [Reading<Folding>] {
        [
            Reading("cardinality_fold_cold_cpu", "us") { $0.cold },
            Reading("cardinality_fold_warm_cpu", "us") { $0.warm },
        ]
            + TableGroup.allCases.map { group in
                Reading("cardinality_bytes_\(group.rawValue)", "B") { $0.bytes[group] }
            }
    }

    private func fold(_ load: CardinalityLoad, _ round: Int) async throws -> Folding {
        let count = StoringMeasurement.rowCount
        func micros() async throws -> Double? {
            let before = try ProcessorTime.ofClusters(bench.own.postmasters)
            try await bench.runServer("fold")
            return try await bench.clusterMicros(of: bench.own, since: before, for: count)
        }
        _ = try await storeRows(load, round, ["--unfolded"])
        let cold = try await micros()
        let bytes = try await bench.own.bytes(forEachOf: count)
        _ = try await storeMore(load, round, ["--unfolded", "--occasion", "1"])
        return Folding(cold: cold, warm: try await micros(), bytes: bytes)
    }
}

extension CardinalityLoad {
    /// The occasions of which there are files.
    static let occasions = 0..<3

    /// The name of the file of an occasion, for `Workbench.postbacks`.
    func file(_ occasion: Int) -> String { "\(rawValue)-\(occasion)" }
}

extension Workbench {
    /// Makes a file of the first lines of another one.
    ///
    /// - Returns: Its name, for `postbacks`.
    func first(_ count: Int, of name: String) async throws -> String {
        let known = name + "-first"
        try await tools.run("head", ["-n", String(count), postbacks(name)], to: postbacks(known))
        return known
    }

    /// Runs a command of the server's program.
    ///
    /// - Parameter store: Nil stands for this build's first store.
    func runServer(_ arguments: String..., on store: MeasuredStore? = nil) async throws {
        let store = store ?? own
        try await tools.run(
            store.programs + "/PostbackServer", arguments, changes: ["DATABASE_URL": store.url, "KEYRING_PATH": keys])
    }
}
