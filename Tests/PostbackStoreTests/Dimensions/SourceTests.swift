import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackStore

@Suite("Sources of ads", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct SourceTests {
    private let database = TestDatabase.current
    private let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    /// A postback that a web site or an app sent.
    private func one(app: Int64? = nil, domain: String? = nil) throws -> PostbackDelivery {
        try deliveries.one {
            $0.version = "4.0"
            ($0.sourceAppID, $0.sourceDomain) = (app, domain)
        }
    }

    /// Each source that postbacks name, in order, with its number and the number of its postbacks.
    private func sources(_ database: TestDatabase) async throws -> [String] {
        try await database.column(
            """
            SELECT concat_ws(' ', name, source, count(*))
              FROM (SELECT source, coalesce(attribution.source_app_id(source)::text, source_domain, 'none') AS name
                      FROM attribution.postback_state
                      LEFT JOIN attribution.source USING (source)) AS named
             GROUP BY name, source
             ORDER BY name COLLATE "C"
            """
        ).compactMap(\.self)
    }

    @Test("An app is its App Store id and needs no row; the number of a domain follows from its text", .database)
    func numbers() async throws {
        let batch = [
            try one(), try one(app: 1), try one(app: .max), try one(app: 0), try one(domain: "example.com"),
            try one(domain: "example.com"),
        ]
        try await database.withStore { store in
            _ = try await store.record(batch).map { try $0.get() }
        }
        #expect(
            try await sources(database) == [
                "0 -9223372036854775808 1", "1 1 1", "9223372036854775807 9223372036854775807 1",
                "example.com -2944907469965225578 2", "none 0 1",
            ])
        let shown = try await database.column(
            """
            SELECT concat_ws(' ', source_app_id, source_domain, count(*))
              FROM attribution.postback
             GROUP BY source_app_id, source_domain
            """
        ).compactMap(\.self).sorted()
        #expect(shown == ["0 1", "1", "1 1", "9223372036854775807 1", "example.com 2"])
        #expect(
            try await database.column("SELECT source || ' ' || source_domain FROM attribution.source")
                == ["-2944907469965225578 example.com"])
        #expect(try await database.recount() == [])
    }

    @Test("SQL and the server give a domain the same number", .database)
    func sameNumbers() async throws {
        for text in ["example.com", "a.example", "b.example", "x-1.co", "publisher100000.example"] {
            let domain = try #require(SourceDomain(text))
            let number = SourceNumber.number(of: domain)
            #expect((-(1 << 62) ... -1).contains(number))
            #expect(try await database.value("SELECT attribution.source_number('\(text)')") == "\(number)")
            #expect(try await database.value("SELECT attribution.source_app_id(\(number))") == nil)
            #expect(SourceNumber.app(number) == nil)
        }
        for id: Int64 in [0, 1, .max] {
            let app = try #require(AppID(id))
            let number = SourceNumber.number(of: app)
            #expect(number != SourceNumber.none)
            #expect(SourceNumber.app(number) == app)
            #expect(try await database.value("SELECT attribution.source_app_id(\(number))") == "\(id)")
        }
        #expect(SourceNumber.app(SourceNumber.none) == nil)
    }

    /// Gives the numbers of `a.example` and `b.example` to other domains.
    private static let collisions = """
        INSERT INTO attribution.source (source, source_domain)
        VALUES (attribution.source_number('a.example'), 'first.example'),
               (attribution.source_number('b.example'), 'second.example')
        """

    @Test("A domain whose number another one has gets the next free one, also from several stores at once", .database)
    func collision() async throws {
        try await database.run(Self.collisions)
        let domains = ["a.example", "b.example", "c.example", "first.example"]
        try await withThrowingTaskGroup { group in
            for server in 0..<4 {
                let order = server % 2 == 0 ? domains : domains.reversed()
                let batch = try order.map { try one(domain: $0) }
                group.addTask {
                    try await database.withStore(size: 2) { store in
                        // Once more, from an empty cache and from a full one.
                        for _ in 0..<2 { _ = try await store.record(batch).map { try $0.get() } }
                    }
                }
            }
            try await group.waitForAll()
        }
        let stored = try await database.column(
            "SELECT source_domain || ' ' || source FROM attribution.source ORDER BY source_domain COLLATE \"C\""
        ).compactMap(\.self)
        let number = { (domain: String) in SourceNumber.number(of: try #require(SourceDomain(domain))) }
        let colliding = stored.prefix(2).compactMap { Int64($0.split(separator: " ")[1]) }
        let free: [Int64] = [-4_611_686_018_427_387_906, -4_611_686_018_427_387_905]
        #expect(colliding.sorted() == free)
        #expect(
            try stored.dropFirst(2) == [
                "c.example \(number("c.example"))", "first.example \(number("a.example"))",
                "second.example \(number("b.example"))",
            ])
        #expect(
            try await sources(database)
                == stored.filter { !$0.hasPrefix("second") }.map { "\($0) 4" })
        #expect(try await database.recount() == [])
    }

    @Test(
        "On a cluster a new domain is added once, and one with the number of another one too",
        .enabled(if: TestEnvironment.hasCluster, TestEnvironment.clusterReason))
    func cluster() async throws {
        try await CitusCluster.withDistributedDatabase(lanes: 4) { database in
            try await database.run(Self.collisions)
            let batch = try ["a.example", "c.example", "c.example"].map { try one(domain: $0) }
            try await database.withStore { store in
                _ = try await store.record(batch).map { try $0.get() }
            }
            let c = SourceNumber.number(of: try #require(SourceDomain("c.example")))
            #expect(try await sources(database) == ["a.example \(-(1 << 62) - 1) 1", "c.example \(c) 2"])
            #expect(try await database.recount() == [])
        }
    }
}
