import Access
import Logging
import PostgresClient
import TestSupport
import Testing

@testable import AuditTrail
@testable import PostbackStore

@Suite("The trail", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct TrailTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let actor = TrailActor(.admin, session: "0a1b2c3d", from: "192.0.2.7")

    @Test("An entry is read as it was noted, the newest first, by pages and by filters")
    func entries() async throws {
        let trail = Trail(store: store, logger: .silent)
        await trail.note(.signIn, by: actor)
        await trail.note(.readerRemoval, of: "reader warehouse", by: .systemUser("ann"))
        await trail.note(.reprocessing, by: actor, [("accepted", 2), ("refused", 0)])
        let all = try await store.trail(TrailQuestion(), limit: 10)
        #expect(all.map(\.action) == ["reprocessing", "reader-removal", "sign-in"])
        #expect(all.map(\.person) == ["ADMIN_TOKEN", "system user ann", "ADMIN_TOKEN"])
        #expect(all.map(\.session) == ["0a1b2c3d", nil, "0a1b2c3d"])
        #expect(all.map(\.origin) == ["192.0.2.7", "command line", "192.0.2.7"])
        #expect(all.map(\.subject) == [nil, "reader warehouse", nil])
        #expect(all.map(\.counts) == ["{\"accepted\":2,\"refused\":0}", "{}", "{}"])
        #expect(all.map(\.countsText) == ["2 accepted, 0 refused", "", ""])
        var question = TrailQuestion()
        question.before = all[0].number
        #expect(try await store.trail(question, limit: 1).map(\.number) == [all[1].number])
        question = TrailQuestion()
        question.action = "sign-in"
        #expect(try await store.trail(question, limit: 10).map(\.number) == [all[2].number])
        question = TrailQuestion()
        question.person = "system user ann"
        #expect(try await store.trail(question, limit: 10).map(\.number) == [all[1].number])
    }

    @Test("The serving role can add entries, and neither change nor remove one, nor set the time of writing")
    func onlyAdded() async throws {
        await Trail(store: store, logger: .silent).note(.signIn, by: actor)
        for statement in [
            "UPDATE attribution.trail SET person = 'somebody'", "DELETE FROM attribution.trail",
            "TRUNCATE attribution.trail", "DROP TABLE attribution.trail",
            "ALTER TABLE attribution.trail DISABLE TRIGGER ALL",
        ] {
            await #expect(throws: PostgresError.self, "\(statement)") {
                try await store.pool.withConnection { try $0.execute(script: statement) }
            }
        }
        try await store.pool.withConnection {
            try $0.execute(
                script: """
                    INSERT INTO attribution.trail (written_at, happened_at, action, origin)
                    VALUES ('2001-01-01', '2001-01-01', 'sign-in', 'unix')
                    """)
        }
        #expect(
            try await database.value(
                "SELECT bool_and(written_at > now() - interval '1 hour') FROM attribution.trail") == "true")
    }

    @Test("Old entries are removed by their time of writing, and none of the last 30 days, whoever asks")
    func retention() async throws {
        let trail = Trail(store: store, logger: .silent)
        for _ in 0..<3 { await trail.note(.signIn, by: actor) }
        try await database.run(
            """
            UPDATE attribution.trail SET written_at = now() - CASE entry % 3 WHEN 0 THEN interval '29 days'
                                                              WHEN 1 THEN interval '31 days' ELSE interval '61 days' END
            """)
        for days: Int32 in [0, 29, -1] {
            await #expect(throws: PostgresError.self) { try await store.dropTrail(olderThan: days) }
        }
        await #expect(throws: PostgresError.self) {
            try await store.pool.withConnection { try $0.execute(script: "SELECT attribution.drop_trail(NULL)") }
        }
        #expect(try await store.dropTrail(olderThan: 60) == 1)
        #expect(try await store.dropTrail(olderThan: PostbackStore.leastTrailDays) == 1)
        #expect(try await store.dropTrail(olderThan: 30) == 0)
        #expect(try await database.value("SELECT count(*) FROM attribution.trail") == "1")
    }

    /// Something that was done to a token, so many seconds after 1970.
    private func act(_ seconds: Int64) throws -> NamedToken.Act {
        let time = try #require(TokenTime(seconds: seconds))
        return try #require(NamedToken.Act(time, by: "system user bob"))
    }

    @Test("What happened to tokens is noted once, by whichever server is first, and not again after retention")
    func tokens() async throws {
        var ring = TokenRing()
        let name = try #require(TokenName("ann"))
        let now = store.clock().millisecondsSince1970 / 1_000
        let (longAgo, lately) = (try act(now - 40 * 86_400), try act(now - 86_400))
        let ends = try #require(TokenTime(seconds: now + 86_400))
        let (old, new) = (BearerToken.generate().token, BearerToken.generate().token)
        try ring.add(old, name: name, scopes: [.read], added: longAgo, ends: ends)
        try ring.add(new, name: name, scopes: [.read], added: lately, ends: ends)
        let ringOfTwo = ring
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 { group.addTask { try await store.note(ringOfTwo, keptFor: nil).count } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }.sorted()
        }
        #expect(counts == [0, 0, 0, 2])
        _ = try ring.revoke(name, id: old.id, act(now))
        let entries = try await store.note(ring, keptFor: nil)
        #expect(entries.map(\.action) == [.tokenRevocation] && entries.map(\.subject) == ["token ann \(old.id)"])
        #expect(entries.map(\.actor.person) == ["system user bob"])
        try await database.run("DELETE FROM attribution.trail")
        #expect(try await store.note(ring, keptFor: 30).map(\.subject).count == 2)
        #expect(
            try await database.value("SELECT count(*) FROM attribution.trail WHERE subject = 'token ann \(old.id)'")
                == "1")
    }
}
