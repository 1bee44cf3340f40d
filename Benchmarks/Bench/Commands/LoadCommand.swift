import AdAttribution
import ArgumentParser
import Logging
import PostbackSimulation
import PostbackStore
import PostgresClient

/// `bench load`: the store under load for a long time.
///
/// Postbacks are made in portions, and only the writing of a portion is timed. So the time for making them does not
/// hide what the database loses. Most postbacks are new; some are delivered again with a higher value, as updates are
/// what an open snapshot makes dear.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: """
            Record verified postbacks for some time; print how many a second, how many a second in the last tenth of \
            the time, by how many seconds folding is behind, and how many in all.
            """)

    @Option(name: .long, help: "A libpq connection string.")
    var url: String

    @Option(name: .long, help: "For how many seconds.")
    var seconds = 600

    @Option(
        name: .long, help: "How many batches are written at once; 0 stands for one for each lane, as the server does.")
    var connections = 2

    @Option(name: .long, help: "How many postbacks a batch has.")
    var batch = 500

    @Option(name: .long, help: "How many deliveries are made at once.")
    var portion = 50_000

    @Option(name: .long, help: "Which share of the deliveries raises the value of an earlier one.")
    var raises = 0.1

    func run() async throws {
        let connections = StoreConnections(
            PostgresConfiguration(connectionString: url), size: 3, logger: Logger(label: "bench"))
        let store = PostbackStore(connections)
        let writers = StoreWriters(
            store, lanes: try await store.lanes(), writers: self.connections, batchSize: batch)
        let folding = StoreFolding(store)
        let start = ContinuousClock.now
        let end = start + .seconds(seconds)
        let lastTenth = start + .seconds(Double(seconds) * 0.9)
        var all = Rate()
        var last = Rate()
        var seed: UInt64 = 1
        while ContinuousClock.now < end {
            let deliveries = try Postbacks(.skAdNetwork(.v4_0), count: portion, seed: seed, raises: raises)
                .deliveries()
            seed += 1
            let begin = ContinuousClock.now
            try await writers.record(deliveries, expecting: [.accepted, .raised])
            let time = ContinuousClock.now - begin
            all.add(deliveries.count, time)
            if begin >= lastTenth { last.add(deliveries.count, time) }
        }
        let lag = try await Self.lag(over: connections.pool)
        await folding.end()
        await connections.close()
        print(all.perSecond, last.perSecond, lag, all.count)
    }

    /// How long ago the oldest event was written that is not folded yet, in whole seconds; 0 if there is none.
    private static func lag(over pool: PostgresPool) async throws -> Int64 {
        try await pool.withConnection { connection in
            try connection.query(lagStatement).first?.decode(Int64.self, at: 0) ?? 0
        }
    }

    private static let lagStatement = PostgresStatement(
        "bench_lag",
        """
        SELECT coalesce(max(extract(epoch FROM clock_timestamp() - oldest.written_at)), 0)::bigint
          FROM attribution.log_reader AS reader
         CROSS JOIN LATERAL (SELECT written_at FROM attribution.postback_log AS log
                              WHERE log.lane = reader.lane AND log.position > reader.position
                              ORDER BY log.position LIMIT 1) AS oldest
         WHERE reader.reader = 'figures'
        """)
}

/// How many in what time.
private struct Rate {
    private(set) var count = 0
    private var time = Duration.zero

    mutating func add(_ count: Int, _ time: Duration) {
        self.count += count
        self.time += time
    }

    var perSecond: Int { time > .zero ? Int(Double(count) / (time / .seconds(1))) : 0 }
}
