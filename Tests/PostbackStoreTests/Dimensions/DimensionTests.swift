import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackStore

@Suite("Dimensions", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct DimensionTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    /// The rows that `mixed` needs in each table.
    private static let rows = [("network", 2), ("line", 14), ("source", 2), ("signing_key", 1), ("traits", 2)]

    /// The numbers of a dimension in order.
    private func numbers(_ table: String, _ database: TestDatabase) async throws -> [String] {
        try await database.column("SELECT \(table) FROM attribution.\(table) ORDER BY 1").compactMap(\.self)
    }

    /// Postbacks of many lines, sources and traits: an app and two domains; some name no source.
    private func mixed(_ count: Int) throws -> [PostbackDelivery] {
        try (0..<count).map { number in
            try deliveries.one {
                $0.version = "4.0"
                $0.sourceIdentifier = "\(number % 7 + 11)"
                $0.adNetworkID = number % 3 == 0 ? "com.example" : "example123.skadnetwork"
                $0.sourceAppID = number % 4 == 1 ? 1 : nil
                $0.sourceDomain = [nil, nil, "a.example", "b.example"][number % 4]
                $0.redownload = number % 2 == 0
            }
        }
    }

    @Test("The numbers of networks, keys and traits have no gaps, even if rows are refused in between")
    func gapless() async throws {
        let batch = try mixed(84)
        try await database.run("ALTER TABLE attribution.line ADD CONSTRAINT no_17 CHECK (campaign <> '17')")
        try await database.withStore { store in
            for start in stride(from: 0, to: batch.count, by: 12) {
                _ = await store.record(Array(batch[start..<start + 12]))
            }
            try await database.run("ALTER TABLE attribution.line DROP CONSTRAINT no_17")
            _ = try await store.record(batch).map { try $0.get() }
        }
        for (table, count) in Self.rows {
            let numbers = try await numbers(table, database)
            #expect(numbers.count == count)
            if table != "line", table != "source" { #expect(numbers == (1...count).map { "\($0)" }) }
        }
        #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "84")
        #expect(try await database.recount() == [])
    }

    @Test("The same rows from several stores at once are added once, without a deadlock")
    func atOnce() async throws {
        let batch = try mixed(84)
        try await withThrowingTaskGroup { group in
            for server in 0..<4 {
                let part = Array(server % 2 == 0 ? batch : batch.reversed())
                group.addTask {
                    try await database.withStore(size: 2) { store in
                        _ = try await store.record(part).map { try $0.get() }
                    }
                }
            }
            try await group.waitForAll()
        }
        for (table, count) in Self.rows {
            #expect(try await numbers(table, database).count == count)
        }
        #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "84")
        #expect(try await database.recount() == [])
        #expect(
            try await database.value("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") == "0"
        )
    }

    @Test(
        "A row that the database refuses fails only the postbacks that need it, and they count when it is allowed",
        arguments: [
            ("line", "campaign <> '13'", 12), ("network", "ad_network_id <> 'com.example'", 28),
            ("source", "source_domain <> 'a.example'", 21), ("traits", "NOT redownload", 42),
        ])
    func refused(_ table: String, _ check: String, _ failures: Int) async throws {
        let batch = try mixed(84)
        try await database.run("ALTER TABLE attribution.\(table) ADD CONSTRAINT refusal CHECK (\(check))")
        let results = await store.record(batch)
        #expect(results.count { (try? $0.get()) == nil } == failures)
        #expect(results.count { (try? $0.get()) == .accepted } == batch.count - failures)
        for result in results {
            if case .failure(let error) = result {
                #expect((error as? PostgresError)?.constraint == "refusal")
            }
        }
        let wrong = try await database.value(
            """
            SELECT count(*) FROM attribution.postback
             WHERE NOT coalesce(\(check), true)
            """)
        #expect(wrong == "0")
        #expect(try await database.recount() == [])
        try await database.run("ALTER TABLE attribution.\(table) DROP CONSTRAINT refusal")
        let outcomes = try await store.record(batch).map { try $0.get() }
        #expect(outcomes.count { $0 == .accepted } == failures)
        #expect(try await database.recount() == [])
    }

    @Test("A cache that is too small for its batches still gives each postback its rows", arguments: [1, 2, 5])
    func smallCache(_ bound: Int) async throws {
        let batch = try mixed(84)
        try await database.withStore { original in
            var store = original
            store.dimensions = DimensionCache(bound: bound)
            // Each batch knows some of its rows already, and needs others.
            for start in stride(from: 0, to: batch.count, by: 4) {
                let part = batch[max(0, start - 6)..<start + 4]
                _ = try await store.record(Array(part)).map { try $0.get() }
            }
        }
        #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "84")
        let wrong = try await database.value(
            """
            SELECT count(*) FROM attribution.postback
             WHERE (campaign, ad_network_id, source_app_id::text, source_domain, redownload::text) IS DISTINCT FROM
                   (payload ->> 'source-identifier', payload ->> 'ad-network-id', payload ->> 'source-app-id',
                    payload ->> 'source-domain', payload ->> 'redownload')
            """)
        #expect(wrong == "0")
        #expect(try await numbers("line", database) == (1...14).map { "\($0)" })
        #expect(try await database.recount() == [])
    }

    @Test(
        "Lines and domains are looked up by their whole keys, even if plans were made while the tables were small",
        .database(lanes: 1, connections: 1))
    func plans() async throws {
        _ = try await store.record(try mixed(12)).map { try $0.get() }
        // With these statistics the planner thinks that every scan is cheap. They make it plan again.
        try await database.run("ANALYZE attribution.network, attribution.line, attribution.source")
        let further = try deliveries.one {
            ($0.version, $0.sourceIdentifier) = ("4.0", "99")
            ($0.sourceAppID, $0.sourceDomain) = (nil, "c.example")
        }
        _ = try await store.record([further])[0].get()
        let plans = try await store.writers.withConnection { connection in
            try connection.query(Self.lookups).map { row in
                let name = try row.decode(String.self, at: 0)
                let explain = PostgresStatement(
                    "explain", "EXPLAIN (COSTS OFF) EXECUTE \"\(name)\"(\(try row.decode(String.self, at: 1)))")
                return try connection.query(explain).map { try $0.decode(String.self, at: 0) }
            }
        }
        #expect(plans.count == 3)
        // What an index scan must know, so that it reads no other rows than those of a key, or of an app.
        let keys = [
            "line_key on line": ["advertised_app_id", "network", "developer_copy", "campaign_type"],
            "source_key on source": ["source_domain"],
        ]
        for plan in plans {
            let scans = zip(plan, plan.dropFirst()).filter { scan, _ in
                scan.contains("Scan") && ["line", "source"].contains { scan.contains(" on \($0)") }
            }
            #expect(!scans.isEmpty)
            for (scan, condition) in scans {
                let columns = keys.first { scan.contains("Scan using \($0.key)") }?.value ?? ["no such index"]
                #expect(columns.allSatisfy { condition.contains("(\($0) = ") }, "\(plan)")
            }
        }
    }

    /// The prepared statements that look lines and domains up, with arguments for all of their parameters.
    private static let lookups = PostgresStatement(
        "test_lookups",
        """
        SELECT name, '''{}''' || repeat(', ''{}''', cardinality(parameter_types) - 1)
          FROM pg_prepared_statements
         WHERE name LIKE ANY (ARRAY['%dimension_add_lines%', '%dimension_lines%', '%dimension_domains%'])
        """)

    @Test("The first line of an app waits for that of another server, and further ones don't")
    func firstLine() async throws {
        func one(_ app: Int64, _ identifier: String) throws -> PostbackDelivery {
            try deliveries.one { ($0.version, $0.appID, $0.sourceIdentifier) = ("4.0", app, identifier) }
        }
        let (known, first, further) = (try one(1, "11"), try one(2, "12"), try one(1, "13"))
        try await database.withStore { store in
            _ = try await store.record([known])[0].get()
            let waiting = try await database.holding("SELECT pg_advisory_xact_lock(7421001644)") {
                _ = try await store.record([further])[0].get()
                let waiting = Task { await store.record([first]) }
                try await database.waitForWaiters(1)
                return waiting
            }
            _ = try await waiting.value[0].get()
        }
        let lines = try await database.column(
            """
            SELECT campaign || ' ' || (line = app_line)
              FROM attribution.line
              JOIN attribution.app_line USING (line)
             ORDER BY campaign
            """
        )
        #expect(lines.compactMap(\.self) == ["11 true", "12 true", "13 false"])
    }

    @Test("Missing facts give one row of traits, not one for each server")
    func absentFacts() async throws {
        let batch = try (0..<6).map { _ in try deliveries.one { $0.version = "1.0" } }
        for delivery in batch {
            try await database.withStore(size: 1) { store in
                let outcome = try await store.record([delivery])[0].get()
                #expect(outcome == .accepted)
            }
        }
        #expect(try await numbers("traits", database) == ["1"])
        let absent = try await database.value(
            """
            SELECT num_nulls(redownload, conversion_type, fidelity_type, ad_interaction_type,
                             marketplace_identifier, country_code)
              FROM attribution.traits
            """)
        #expect(absent == "6")
        #expect(try await numbers("source", database) == [])
    }

    @Test("A network has one row, whatever the letter case of its id")
    func letterCase() async throws {
        try await database.withStore { store in
            let batch = try ["example123.skadnetwork", "EXAMPLE123.skadnetwork"].map { network in
                try deliveries.one { $0.adNetworkID = network }
            }
            #expect(try await store.record(batch).map { try $0.get() } == [.accepted, .accepted])
        }
        #expect(
            try await database.column("SELECT ad_network_id FROM attribution.network")
                == ["example123.skadnetwork"])
        #expect(try await numbers("line", database) == ["1"])
    }

    @Test("A server reads lines and domains at once before its first batch, and on another timeline")
    func readAtOnce() async throws {
        let batch = try mixed(84)
        _ = try await store.record(batch).map { try $0.get() }
        let rows = DimensionRows(of: batch.map { DimensionKeys($0.verified, store.versions.traitColumns) })
        try await database.withStore { store in
            await store.readDimensions()
            var known = store.dimensions.known(of: rows)
            #expect(known.lines.count == 14)
            #expect(known.domains.count == 2)
            let timeline = store.dimensions.timeline
            store.dimensions.begin(Timeline(text: "FFFFFFFF"))
            #expect(store.dimensions.known(of: rows).lines.isEmpty)
            #expect(try await store.record(Array(batch.prefix(1)))[0].get() == .duplicate)
            #expect(store.dimensions.timeline == timeline)
            known = store.dimensions.known(of: rows)
            #expect(known.lines.count == 14)
            #expect(known.domains.count == 2)
            let stored = try await database.column("SELECT network || ' ' || line FROM attribution.line ORDER BY line")
            #expect(
                known.lines.values.sorted { $0.line < $1.line }.map { "\($0.network) \($0.line)" }
                    == stored.compactMap(\.self))
        }
    }

    @Test("If lines and domains can't be read at once, batches read what they need")
    func notReadAtOnce() async throws {
        let batch = try mixed(4)
        try await database.withStore { store in
            try await database.run("ALTER TABLE attribution.source RENAME COLUMN source_domain TO other")
            await store.readDimensions()
            try await database.run("ALTER TABLE attribution.source RENAME COLUMN other TO source_domain")
            _ = try await store.record(batch).map { try $0.get() }
        }
        #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "4")
    }
}
