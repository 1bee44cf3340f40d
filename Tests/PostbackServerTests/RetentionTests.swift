import Foundation
import NIOHTTP1
import PostgresClient
import Synchronization
import TestSupport
import Testing

extension ServerTests {
    @Suite("Days that leave a running server", .installation)
    struct RetentionTests {
        private static let settings = ["BODY_RETENTION_DAYS": "5", "LOG_RETENTION_DAYS": "7"]

        /// Bodies and log of so many days ago, read by all readers but `export`.
        private func writeOldDays(_ days: [Int], _ installation: Installation, bodies: [[UInt8]]) async throws {
            let database = installation.database
            let size = bodies.count / days.count
            for (number, day) in days.enumerated() {
                let lines = bodies[(number * size)..<((number + 1) * size)]
                try await installation.succeed(["import", try installation.write(lines, to: "day\(day).ndjson")])
                try await installation.succeed(["fold"])
                try await database.moveToday(back: day)
                if let more = ProcessInfo.processInfo.environment["DAY_BODIES"].flatMap({ Int($0) }) {
                    try await write(more, daysAgo: day, database)
                }
            }
            try await database.run(
                """
                INSERT INTO attribution.log_reader (reader, lane, position, ordinal, moved_at)
                SELECT 'export', lane, 0, 0, clock_timestamp() FROM attribution.lane
                """)
        }

        /// More bodies of a day, of about the usual size, to measure with.
        private func write(_ count: Int, daysAgo: Int, _ database: TestDatabase) async throws {
            for _ in stride(from: 0, to: count, by: 100_000) {
                try await database.run(
                    """
                    INSERT INTO attribution.postback_body (
                        position, received_at, transaction_id, line, lane, ordinal, payload)
                    SELECT attribution.first_position((clock_timestamp() AT TIME ZONE 'UTC')::date - \(daysAgo))
                           + 1000000 + number, now(), gen_random_uuid(), 1, 7, 0, repeat(md5(number::text), 24)
                      FROM generate_series(1, 100000) AS number
                    """)
            }
        }

        /// The sum of a counter over servers.
        private func sum(_ metric: String, of servers: [ServerProcess]) async throws -> Int {
            var sum = 0
            for server in servers {
                let text = try await PostbackClient.with(port: try await server.port(of: "admin")) {
                    try await $0.request(.GET, "/metrics").text
                }
                for line in text.split(separator: "\n") where line.hasPrefix(metric) {
                    sum += Int(Double(line.split(separator: " ").last ?? "0") ?? 0)
                }
            }
            return sum
        }

        /// Commits rows of a table of its own while the load runs, and keeps the longest time of a commit.
        private func watchCommits(_ database: TestDatabase, _ load: Load) async throws {
            try await database.withSession { session in
                try await session.execute(script: "CREATE TABLE public.witness (number integer)")
                while !load.isDone {
                    let begin = ContinuousClock.now
                    try await session.execute(script: "INSERT INTO public.witness VALUES (1)")
                    load.record(commit: ContinuousClock.now - begin)
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
        }

        @Test("While days are dropped under load, no request fails, and of two servers one drops each day")
        func load() async throws {
            let installation = try Installation.current
            let database = installation.database
            let bodies = try installation.keys.simulate(seed: 31, count: 12_000)
            try await writeOldDays([30, 20], installation, bodies: Array(bodies[..<1_000]))
            try await installation.withServer(Self.settings) { first, client in
                try await installation.withServer(Self.settings) { second, other in
                    let load = Load()
                    async let witness: Void = watchCommits(database, load)
                    async let dropped: Void = {
                        defer { load.end() }
                        try await eventually("the load has begun") {
                            try await database.daysWithRows(of: "body") == [30, 20, 0] ? true : nil
                        }
                        // Nobody needs the days any more.
                        try await database.run("DELETE FROM attribution.log_reader WHERE reader = 'export'")
                        try await eventually("the days are dropped") {
                            try await database.daysWithRows(of: "log") == [0] ? true : nil
                        }
                        #expect(try await database.daysWithRows(of: "body") == [0])
                    }()
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for number in 0..<16 {
                            group.addTask {
                                var next = 1_000 + number
                                while !load.isDone {
                                    let begin = ContinuousClock.now
                                    let body = bodies[1_000 + (next - 1_000) % 11_000]
                                    let answer = try await (number.isMultiple(of: 2) ? client : other).post(body)
                                    load.record(answer: answer.status, after: ContinuousClock.now - begin)
                                    next += 16
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                    try await dropped
                    try await witness
                    print("slowest answer while days were dropped: \(load.slowestAnswer)")
                    // If nobody could commit for seconds, the disk stalled, and that a postback waits is right.
                    #expect(load.refused.isEmpty || load.slowestCommit > .seconds(3))
                    try await eventually("the metrics tell it") {
                        try await sum("adattribution_partitions_dropped_total", of: [first, second]) == 4 ? true : nil
                    }
                    #expect(try await sum("adattribution_log_readers_dropped_total", of: [first, second]) == 0)
                    let lines = (first.lines + second.lines).filter { $0.contains("\"day dropped\"") }
                    #expect(lines.count == 4)
                    #expect((first.lines + second.lines).contains { $0.contains("readers of the log need it") })
                }
            }
            #expect(try await database.recounts() == [])
        }

        @Test(
            "If the server that drops days is killed, another one goes on within seconds, and tells a reader that it drops"
        )
        func takesOver() async throws {
            let installation = try Installation.current
            let database = installation.database
            try await writeOldDays([30], installation, bodies: try installation.keys.simulate(seed: 32, count: 200))
            let settings = Self.settings.merging(["READER_RETENTION_DAYS": "29"]) { $1 }
            // The session of a server that is at it, and is gone in a moment.
            try await database.withSession { session in
                try await session.execute(script: "BEGIN; SELECT attribution.lock_retention();")
                try await installation.withServer(settings) { server, _ in
                    try await eventually("the server waits") {
                        server.lines.contains { $0.contains("its lock is not free") } ? true : nil
                    }
                    #expect(try await database.daysWithRows(of: "body") == [30])
                    let begin = ContinuousClock.now
                    try await session.execute(script: "ROLLBACK")
                    try await eventually("the server goes on") {
                        try await database.daysWithRows(of: "log") == [] ? true : nil
                    }
                    #expect(ContinuousClock.now - begin < .seconds(60))
                    let line = try await eventually("the reader is told") {
                        server.lines.first { $0.contains("a reader of the log was dropped") }
                    }
                    #expect(line.contains("\"error\"") && line.contains("\"reader\":\"export\""))
                    try await eventually("the metric tells it") {
                        try await sum("adattribution_log_readers_dropped_total", of: [server]) == 1 ? true : nil
                    }
                    let start = try #require(server.lines.first { $0.contains("\"starting\"") })
                    #expect(start.contains("\"body_retention_days\":\"5\""))
                    #expect(start.contains("\"address_retention_days\":\"never\""))
                }
            }
        }
    }
}

/// What a load saw, and whether to send more.
private final class Load: Sendable {
    private struct State {
        var isDone = false
        var slowestAnswer = Duration.zero
        var slowestCommit = Duration.zero
        var refused: [Int] = []
    }

    private let state = Mutex(State())

    var isDone: Bool { state.withLock { $0.isDone } }
    var slowestAnswer: Duration { state.withLock { $0.slowestAnswer } }
    /// The longest commit of a session that has nothing to do with days or postbacks.
    var slowestCommit: Duration { state.withLock { $0.slowestCommit } }
    /// The statuses other than 200.
    var refused: [Int] { state.withLock { $0.refused } }

    func end() {
        state.withLock { $0.isDone = true }
    }

    func record(answer status: Int, after time: Duration) {
        state.withLock { state in
            state.slowestAnswer = max(state.slowestAnswer, time)
            if status != 200 { state.refused.append(status) }
        }
    }

    func record(commit time: Duration) {
        state.withLock { $0.slowestCommit = max($0.slowestCommit, time) }
    }
}
