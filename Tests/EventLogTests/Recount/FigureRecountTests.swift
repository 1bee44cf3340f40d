import AdAttribution
import PostbackQuarantine
import PostbackStore
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import EventLog

@Suite(
    "The recount of all figures", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase)
struct FigureRecountTests {
    private let fixture: AnswerFixture
    private let later: Deliveries

    init() throws {
        fixture = try AnswerFixture()
        later = try Deliveries()
    }

    /// The tables and partitions with figures, and how many sums of the recount each row of them is in.
    private static let parts: [(part: String, table: String, sums: Int)] = [
        ("campaign_daily", "campaign_daily", 1), ("source_app_daily", "source_app_daily", 1),
        ("conversion_value_daily", "conversion_value_daily", 1),
        ("answer_arrival_daily", "answer_daily", 1), ("answer_install_daily", "answer_daily", 1),
        ("answer_arrival_version_daily", "answer_daily", 1), ("answer_install_version_daily", "answer_daily", 1),
        ("answer_install_two_digits_daily", "answer_daily", 1),
        // By the day of arrival, and by that of the install.
        ("answer_traits_daily", "answer_split_daily", 2), ("answer_source_daily", "answer_split_daily", 2),
        ("answer_app_source_daily", "answer_split_daily", 2),
        ("answer_arrival_event_daily", "answer_event_daily", 1),
        ("answer_install_event_daily", "answer_event_daily", 1),
        ("rejected_postback_usage", "rejected_postback_usage", 1),
    ]

    /// Lends a store to a body.
    ///
    /// Half of what it has counted is folded, and both halves of the quarantine have a row.
    private func withStore(_ body: (PostbackStore, TestDatabase) async throws -> Void) async throws {
        let deliveries = try fixture.deliveries(seed: 34)
        try await TestDatabase.with { database in
            try await database.withStore { store in
                _ = try await store.load(AnswerFixture.schemes())
                try await record(deliveries.prefix(deliveries.count / 2), to: store)
                try await store.fold()
                try await store.foldAnswers()
                try await record(deliveries.suffix(deliveries.count - deliveries.count / 2), to: store)
                try await store.quarantine(Self.refused())
                try await database.run("UPDATE attribution.campaign_daily SET impressions = 3 WHERE line % 2 = 0")
                try await body(store, database)
            }
        }
    }

    /// A body that is no postback, and one that Apple signed, of a network that the key ring lacks.
    private static func refused() throws -> [RejectedPostback] {
        let keys = try TestKeys(otherNetworks: false)
        return try [Array("{}".utf8), TestKeys.apple()].map { body in
            let rejection = try #require(throws: PostbackRejection.self) {
                try keys.verified(body)
            }
            return RejectedPostback(body: body, rejection: rejection, receivedAt: PostbackStore.now())
        }
    }

    private func record(_ deliveries: some Sequence<PostbackDelivery>, to store: PostbackStore) async throws {
        for result in await store.record(Array(deliveries)) { _ = try result.get() }
    }

    /// What a recount finds.
    private func differences(_ store: PostbackStore) async throws -> (Recount, [FigureDifference]) {
        let found = Mutex<[FigureDifference]>([])
        let recount = try await store.recount(again: .zero) { difference in
            found.withLock { $0.append(difference) }
        }
        return (recount, found.withLock(\.self))
    }

    /// The names of the figures of a table.
    private func names(_ table: String, _ database: TestDatabase) async throws -> [String] {
        try await database.column("SELECT unnest(attribution.figure_names('\(table)'))").compactMap(\.self)
    }

    /// Adds one to each figure of each table, each in another row as far as there are enough.
    ///
    /// - Returns: How many figures of sums are wrong then.
    private func plant(in database: TestDatabase) async throws -> Int {
        var count = 0
        for (part, table, sums) in Self.parts {
            let names = try await names(table, database)
            let rows = try await database.value("SELECT count(*) FROM attribution.\(part)").flatMap { Int($0) }
            let available = try #require(rows)
            try #require(available > 0, "\(part)")
            for (number, name) in names.enumerated() {
                try await database.run(
                    """
                    UPDATE attribution.\(part) SET \(name) = coalesce(\(name), 0) + 1
                     WHERE ctid = (SELECT ctid FROM attribution.\(part) ORDER BY ctid LIMIT 1
                                   OFFSET \(number % available))
                    """)
            }
            count += names.count * sums
        }
        return count
    }

    @Test(
        "One added to each figure of each table is found, and nothing else; a repair mends it all while servers write"
    )
    func eachFigure() async throws {
        try await withStore { store, database in
            #expect(try await differences(store).1 == [])
            let planted = try await plant(in: database)
            let (recount, found) = try await differences(store)
            #expect(found.count == planted)
            #expect(recount.differences == Int64(planted))
            var kinds: Set<String> = []
            for table in Set(Self.parts.map(\.table)) {
                kinds.formUnion(try await names(table, database).map { "\(table) \($0)" })
            }
            #expect(Set(found.map { "\($0.table) \($0.figure)" }) == kinds)
            #expect(kinds.count > 80)
            #expect(try await store.lastRecount()?.differences == Int64(planted))

            let impressions = "SELECT sum(impressions) FROM attribution.campaign_daily"
            let signed = try await database.value(impressions)
            let mending = Task<Result<Void, any Error>, Never> {
                do { return .success(try await store.mendFigures(of: recount.lines)) } catch { return .failure(error) }
            }
            repeat {
                try await record(try later.many(20), to: store)
                try await store.fold()
                _ = try await store.foldPartOfAnswers()
            } while await mending.value(within: .zero) == nil
            try await mending.value.get()
            #expect(try await differences(store).1 == [])
            try await store.fold()
            try await store.foldAnswers()
            #expect(try await differences(store).1 == [])
            #expect(try await database.value(impressions) == signed)
            #expect(try await store.lastRecount()?.differences == 0)
        }
    }

    @Test("Rows that are missing, rows that are too many, and rows of a line that does not exist are found and mended")
    func rows() async throws {
        try await withStore { store, database in
            for (part, table, _) in Self.parts where table != "rejected_postback_usage" {
                try await database.run(
                    "DELETE FROM attribution.\(part) WHERE ctid = (SELECT ctid FROM attribution.\(part) LIMIT 1)")
            }
            try await database.run(
                """
                INSERT INTO attribution.campaign_daily (line, day, raised)
                VALUES (1, '2001-01-01', 1), (99999, '2001-01-01', 2);
                INSERT INTO attribution.answer_daily (
                    answer_table, line, day, sequence_index, did_win, currency, postbacks)
                VALUES (1, 99999, '2001-01-01', 0, true, '', 1)
                """)
            let (recount, found) = try await differences(store)
            let tables = Set(Self.parts.map(\.table)).subtracting(["rejected_postback_usage"])
            #expect(Set(found.map(\.table)) == tables)
            #expect(
                found.contains {
                    $0.description.hasPrefix("campaign_daily (99999,2001-01-01) raised: stored 2, recounted 0")
                })
            try await store.mendFigures(of: recount.lines)
            #expect(try await differences(store).1 == [])
            let made = "SELECT count(*) FROM attribution.campaign_daily WHERE day = '2001-01-01'"
            #expect(try await database.value(made) == "0")
        }
    }

    @Test("While servers count, raise and fold, a recount finds nothing")
    func underLoad() async throws {
        try await withStore { store, database in
            let recounts = Task<Result<Void, any Error>, Never> {
                do {
                    for _ in 0..<5 { #expect(try await differences(store).1 == []) }
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var raised = 1
                    while await recounts.value(within: .zero) == nil {
                        let transaction = TestPostback().transactionID
                        for value in [raised % 60, raised % 60 + 1] {
                            let delivery = try later.one {
                                $0.transactionID = transaction
                                $0.conversionValue = value
                            }
                            try await record([delivery] + later.many(5), to: store)
                        }
                        raised += 1
                    }
                }
                group.addTask {
                    while await recounts.value(within: .zero) == nil {
                        try await store.fold()
                        _ = try await store.foldPartOfAnswers()
                    }
                }
                try await group.waitForAll()
            }
            try await recounts.value.get()
        }
    }

    @Test("Answers of an app whose scheme was loaded for past days are left out until they are folded anew")
    func waiting() async throws {
        try await withStore { store, database in
            try await store.foldAnswers()
            let app = AnswerFixture.apps[2]
            try await database.run(
                """
                INSERT INTO attribution.answer_refold VALUES (\(app), now());
                UPDATE attribution.answer_arrival_daily SET mapped = coalesce(mapped, 0) + 1
                  FROM attribution.line
                 WHERE line.line = answer_arrival_daily.line AND advertised_app_id = \(app)
                """)
            let (recount, found) = try await differences(store)
            #expect(recount.waitingApps == [app])
            #expect(found == [])
            try await store.foldAnswers()
            let (after, none) = try await differences(store)
            #expect(after.waitingApps == [])
            #expect(none == [])
        }
    }

    @Test("Servers share a schedule: within an interval after a recount began, none makes another one")
    func schedule() async throws {
        try await withStore { store, database in
            #expect(try await store.lastRecount() == nil)
            #expect(try await store.recountIfDue(every: .seconds(3_600), again: .zero) { _ in } != nil)
            #expect(try await store.lastRecount()?.differences == 0)
            #expect(try await store.recountIfDue(every: .seconds(3_600), again: .zero) { _ in } == nil)
            try await database.run("UPDATE attribution.recount_run SET began_at = began_at - interval '1 hour'")
            #expect(try await store.recountIfDue(every: .seconds(3_600), again: .zero) { _ in } != nil)
        }
    }
}
