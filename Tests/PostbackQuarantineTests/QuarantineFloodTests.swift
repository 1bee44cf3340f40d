import AdAttribution
import PostbackStore
import PostgresClient
import TestSupport
import Testing

@testable import PostbackQuarantine

/// What a flood pushes out of a full quarantine, and what it can't push out.
@Suite("A flooded quarantine", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct QuarantineFloodTests {
    private let database = TestDatabase.current

    private static let reasons: [PostbackRejection.Reason] = [
        .unsupportedVersion, .unknownNetwork, .malformed, .invalidSignature,
    ]

    /// How many rows of the shared half there are for each reason.
    private func counts(_ database: TestDatabase) async throws -> [String?] {
        try await database.column(
            """
            SELECT concat_ws(' ', reason, count(*)) FROM attribution.rejected_postback
             WHERE NOT protected GROUP BY reason ORDER BY reason
            """)
    }

    @Test("Forged bodies push out none that Apple signed, whatever they are refused for", arguments: reasons)
    func forged(_ reason: PostbackRejection.Reason) async throws {
        let refused = try Refused()
        let limits = QuarantineLimits(maximumRows: 50, maximumBytes: 1 << 20)
        let store = try database.store(quarantineLimits: limits)
        // Apple's documentation postback, of a network that the ring does not know, and 49 more.
        let genuine = try refused.verdict(on: TestKeys.apple())
        #expect(genuine.rejection.reason == .unknownNetwork)
        #expect(genuine.transaction != nil)
        try await store.quarantine([genuine] + (0..<49).map { try Refused.signedByApple("\($0)") })
        let before = try await database.quarantined(protected: true)
        #expect(before.count == 50)
        try await store.quarantine((0..<30).map { try refused.forged(reason, $0, second: 1) })
        for number in 30..<60 { try await store.quarantine([refused.forged(reason, number, second: 2)]) }
        #expect(try await database.quarantined(protected: true) == before)
        #expect(try await database.quarantined(protected: false).count == 50)
        #expect(try await database.quarantineUsage() == database.quarantineRecount())
    }

    @Test("A flood pushes out rows of its own rank and of lower ones, and none of higher ones", arguments: reasons)
    func ranks(_ flood: PostbackRejection.Reason) async throws {
        let refused = try Refused()
        let limits = QuarantineLimits(maximumRows: 12, maximumBytes: 1 << 20)
        let store = try database.store(quarantineLimits: limits)
        // The highest rank is the oldest, so that age alone would let it go first.
        for (second, reason) in Self.reasons.enumerated() {
            try await store.quarantine((0..<3).map { try refused.forged(reason, $0, second: Int64(second)) })
        }
        for start in [100, 110] {
            try await store.quarantine((start..<start + 10).map { try refused.forged(flood, $0, second: Int64($0)) })
        }
        let expected =
            switch flood {
            case .invalidSignature:
                ["invalid_signature 3", "malformed 3", "unknown_network 3", "unsupported_version 3"]
            case .malformed: ["malformed 6", "unknown_network 3", "unsupported_version 3"]
            default: ["\(flood.rawValue) 12"]
            }
        #expect(try await counts(database) == expected)
        #expect(try await database.quarantineUsage() == database.quarantineRecount())
    }

    @Test("A body of a lower rank does not get into a half that is full of a higher one")
    func lowerRank() async throws {
        let refused = try Refused()
        let limits = QuarantineLimits(maximumRows: 5, maximumBytes: 1 << 20)
        let store = try database.store(quarantineLimits: limits)
        try await store.quarantine((0..<5).map { try refused.forged(.unknownNetwork, $0) })
        let before = try await database.quarantined(protected: false)
        try await store.quarantine([refused.forged(.malformed, 0, second: 9)])
        try await store.quarantine([refused.forged(.invalidSignature, 0, second: 9)])
        #expect(try await database.quarantined(protected: false) == before)
        #expect(try await store.quarantineRows() == 5)
    }

    @Test("If there are too many bytes, rows of the lowest rank are also deleted first")
    func bytes() async throws {
        let refused = try Refused()
        let limits = QuarantineLimits(maximumRows: 1_000, maximumBytes: 50_000)
        let store = try database.store(quarantineLimits: limits)
        let filler = try (0..<100).map { number in
            try Refused.malformed("{\"\(String(repeating: "x", count: 2_000))\":\(number)}", second: 5)
        }
        try await store.quarantine((0..<10).map { try refused.forged(.unsupportedVersion, $0) })
        try await store.quarantine((0..<10).map { try refused.forged(.invalidSignature, $0, second: 1) })
        try await store.quarantine(filler)
        let rest = try await counts(database)
        #expect(rest.count == 2)
        #expect(rest.last == "unsupported_version 10")
        #expect(try await database.quarantineUsage() == database.quarantineRecount())
        #expect(
            try await database.value("SELECT max(bytes) <= 50000 FROM attribution.rejected_postback_usage")
                == "true")
    }

    @Test("Development postbacks push out no production postback, and production postbacks push out the oldest ones")
    func development() async throws {
        let limits = QuarantineLimits(maximumRows: 5, maximumBytes: 1 << 20)
        let store = try database.store(quarantineLimits: limits)
        func quarantine(_ name: String, _ seconds: Range<Int64>, _ environment: AttributionEnvironment) async throws {
            for second in seconds {
                let one = try Refused.signedByApple(
                    "\(name)\(second)", body: "{\"\(name)\":\(second)}", second: second,
                    environment: environment)
                try await store.quarantine([one])
            }
        }
        try await quarantine("p", 0..<4, .production)
        try await quarantine("d", 4..<20, .development)
        let production = (0..<4).map { "{\"p\":\($0)}" }
        #expect(try await database.quarantined(protected: true) == production + ["{\"d\":19}"])
        try await quarantine("p", 20..<22, .production)
        #expect(
            try await database.quarantined(protected: true)
                == production.dropFirst() + ["{\"p\":20}", "{\"p\":21}"])
    }

    @Test("Neither a refused body nor a page reads the whole table")
    func plans() async throws {
        try await database.run(
            """
            INSERT INTO attribution.rejected_postback (
                key, protected, rank, reason, detail, body_sha256, body, attempts, first_seen_at, last_seen_at)
            SELECT sha256(n::text::bytea), n % 2 = 0, 1, 'malformed', '', sha256(n::text::bytea), '\\x', 1,
                   timestamptz '2026-01-01' + n * interval '1 second',
                   timestamptz '2026-01-01' + n * interval '1 second'
              FROM generate_series(1, 20000) AS n;
            ANALYZE attribution.rejected_postback
            """)
        let key = "'{\"\\\\x00\"}'"
        let empty = "'{}'"
        let statements: [(PostgresStatement, String)] = [
            (QuarantineStatements.held, key),
            (QuarantineStatements.insertOrCount, Array(repeating: empty, count: 25).joined(separator: ", ")),
            (QuarantineStatements.deleteOldest, "true, 1, 1"),
            (QuarantineStatements.page, "'2026-01-02', '\\x', 500"),
            (QuarantineStatements.removeBodies, key),
            (QuarantineStatements.removeTransactions, "\(key), \(key), \(key)"),
        ]
        for mode in ["force_generic_plan", "force_custom_plan"] {
            for (statement, arguments) in statements {
                let plan = try await database.plan(of: statement, arguments, mode: mode)
                #expect(!plan.contains("Seq Scan on rejected_postback"), "\(statement.name): \(plan)")
                #expect(plan.contains("rejected_postback"), "\(statement.name): \(plan)")
            }
        }
    }
}

extension TestDatabase {
    /// How PostgreSQL runs a statement with these arguments.
    fileprivate func plan(of statement: PostgresStatement, _ arguments: String, mode: String) async throws -> String {
        try await withPool(size: 1) { pool in
            try await pool.withConnection { connection in
                try connection.execute(script: "SET plan_cache_mode = \(mode); PREPARE planned AS \(statement.sql)")
                return try connection.query(
                    PostgresStatement("explain", "EXPLAIN (COSTS OFF) EXECUTE planned (\(arguments))")
                ).map { try $0.decode(String.self, at: 0) }.joined(separator: "\n")
            }
        }
    }
}
