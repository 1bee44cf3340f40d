import CampaignData
import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import CampaignData
@testable import EventLog
@testable import PostbackStore

@Suite("Events that are missing in the log are written again", .onEachDatabase)
struct LogRepairTests {
    private let fixture: AnswerFixture
    private let writing: LogWriting

    init() throws {
        fixture = try AnswerFixture()
        writing = try LogWriting()
    }

    /// The log without the time of writing, which a repaired event has of its own.
    private static let log = """
        SELECT concat_ws(' ', lane, position, ordinal, event, value, previous_value, transaction_id, line, source, traits,
                         received_at, sequence_index, did_win)
          FROM attribution.postback_log WHERE event < 3
        """

    /// Removes about a third of the events, but not these, and returns how many.
    private func removeSome(of database: TestDatabase, keeping kept: [PostbackDelivery]) async throws -> Int {
        let count = "SELECT count(*) FROM attribution.postback_log"
        let list = kept.map(\.transactionID).joined(separator: ",")
        let before = try await database.value(count).flatMap { Int($0) }
        try await database.run(
            """
            DELETE FROM attribution.postback_log
             WHERE event < 3 AND transaction_id <> ALL ('{\(list)}')
               AND ('x' || left(md5(transaction_id::text || event::text || value::text), 4))::bit(16)::integer % 3 = 0
            """)
        let after = try await database.value(count).flatMap { Int($0) }
        return try #require(before) - (try #require(after))
    }

    /// What does not fit together, and what reports show wrong.
    private func differences(_ store: PostbackStore, _ database: TestDatabase) async throws -> [String] {
        try await store.fold()
        try await store.foldAnswers()
        return try await database.logProblems() + database.recount() + database.recountAnswers()
    }

    @Test(
        "Every event comes back as it was and where it was, whether figures had it or not, while servers write",
        arguments: [true, false])
    func comesBack(isFolded: Bool) async throws {
        let deliveries = try fixture.deliveries(seed: 29)
        let raised = TestPostback()
        try await TestDatabase.with { database in
            try await database.withStore { store in
                _ = try await store.load(AnswerFixture.schemes())
                for result in await store.record(deliveries) { _ = try result.get() }
                // Raises between others are named by no row of state.
                for value in [1, 5, 9, 30] { try await writing.record([writing.delivery(raised, value)], to: store) }
                // The last event of each lane stays. Otherwise the next batch would have its position.
                let lanes = try await store.lanes()
                let last = try (0..<lanes.count).flatMap { try writing.deliveries(1, lane: $0, of: lanes) }
                try await writing.record(last, to: store)
                let log = try await database.column(Self.log)
                let passed = try await store.read().next
                if isFolded {
                    try await store.fold()
                    try await store.foldAnswers()
                }
                var removed = try await removeSome(of: database, keeping: last)
                try await database.run(
                    """
                    DELETE FROM attribution.postback_log
                     WHERE transaction_id = '\(raised.transactionID)' AND value IN (5, 9, 30)
                    """)
                removed = log.count - (try await database.column(Self.log)).count
                #expect(removed > 300)
                #expect(try await store.checkLog(again: .zero) == Int64(removed))
                if !isFolded {
                    try await store.fold()
                    try await store.foldAnswers()
                }

                #expect(try await store.repairLog(isDry: true).missing == removed)
                let repairing = Task<Result<LogRepair, any Error>, Never> {
                    do { return .success(try await store.repairLog(isDry: false)) } catch { return .failure(error) }
                }
                var meanwhile: Set<String> = []
                repeat {
                    let more = try (0..<20).map { _ in try writing.delivery() }
                    meanwhile.formUnion(more.map(\.transactionID))
                    try await writing.record(more, to: store)
                } while await repairing.value(within: .zero) == nil
                let repair = try await repairing.value.get()

                #expect(repair.missing == removed)
                #expect(repair.written == removed)
                #expect(repair.unknown == 0)
                #expect(repair.left == 0)
                #expect(try await store.logProblems() == [])
                #expect(try await differences(store, database) == [])
                let after = try await database.column(Self.log).compactMap(\.self)
                    .filter { row in !meanwhile.contains { row.contains($0) } }
                #expect(Set(after).symmetricDifference(log.compactMap(\.self)) == [])
                #expect(after.count == log.count)
                // A reader that had read everything reads what was written meanwhile, and nothing twice.
                let read = try await store.read(after: passed).events.map { $0.transactionID.uuidString.lowercased() }
                #expect(Set(read) == meanwhile)
                #expect(read.count == meanwhile.count)
                // A new reader reads each event once.
                #expect(try await store.read().events.textByLane == database.log())
                #expect(try await store.repairLog(isDry: false).missing == 0)
            }
        }
    }

    @Test("If another event has the place, the event comes behind all others of the position")
    func takenPlace() async throws {
        try await TestDatabase.with { database in
            try await database.withStore { store in
                let lanes = try await store.lanes()
                for _ in 0..<3 { try await writing.record(writing.deliveries(4, lane: 0, of: lanes), to: store) }
                try await store.fold()
                // As if the last batch had been lost, and the next one had got its position.
                try await database.run(
                    """
                    DELETE FROM attribution.postback_log
                     WHERE position = (SELECT max(position) FROM attribution.postback_state);
                    """)
                try await writing.record(writing.deliveries(2, lane: 0, of: lanes), to: store)
                let positions = "SELECT count(*), count(DISTINCT position) FROM attribution.postback_state"
                #expect(try await database.value("SELECT t::text FROM (\(positions)) AS t") == "(14,3)")
                let repair = try await store.repairLog(isDry: false)
                #expect(repair.written == 4)
                #expect(repair.left == 0)
                #expect(try await differences(store, database) == [])
                let places = """
                    SELECT count(*), count(DISTINCT (position, ordinal)), count(DISTINCT position)
                      FROM attribution.postback_log
                    """
                #expect(try await database.value("SELECT t::text FROM (\(places)) AS t") == "(14,14,3)")
                #expect(try await store.read().events.count == 14)
            }
        }
    }

    @Test("A repair that was broken off after its request is finished by the next one")
    func brokenOff() async throws {
        try await TestDatabase.with { database in
            try await database.withStore { store in
                try await writing.record((0..<10).map { _ in try writing.delivery() }, to: store)
                // Events that were lost before they were folded and are in the log again: figures lack them.
                try await database.run("CREATE TABLE kept AS SELECT * FROM attribution.postback_log")
                try await database.run("DELETE FROM attribution.postback_log WHERE ordinal > 0")
                try await store.fold()
                try await database.run(
                    """
                    UPDATE attribution.log_reader SET position = (SELECT max(position) FROM kept), ordinal = 32767;
                    INSERT INTO attribution.postback_log SELECT * FROM kept WHERE ordinal > 0;
                    INSERT INTO attribution.figure_refold SELECT DISTINCT line, now() FROM kept;
                    """)
                #expect(try await database.recount() != [])
                let repair = try await store.repairLog(isDry: false)
                #expect(repair.missing == 0)
                #expect(try await differences(store, database) == [])
                #expect(try await database.value("SELECT count(*) FROM attribution.figure_refold") == "0")
            }
        }
    }

    @Test("Named readers that have passed missing events are told")
    func passed() async throws {
        try await TestDatabase.with { database in
            try await database.withStore { store in
                try await writing.record((0..<30).map { _ in try writing.delivery() }, to: store)
                let reader = store.logReader(named: try #require(LogReaderName("partner")))
                try await reader.create()
                let cursor = try await store.read().next
                try await reader.move(to: cursor)
                try await database.run("DELETE FROM attribution.postback_log")
                #expect(try await store.repairLog(isDry: true).passed == ["partner": 30])
            }
        }
    }

    @Test("A raise between others whose body does not say what it was can't be made again, and is told at once")
    func unknown() async throws {
        let raised = TestPostback()
        try await TestDatabase.with { database in
            try await database.withStore { store in
                for value in [1, 5, 9] { try await writing.record([writing.delivery(raised, value)], to: store) }
                try await database.run(
                    """
                    UPDATE attribution.postback_body SET payload = '{}' WHERE payload::json ->> 'conversion-value' = '5';
                    DELETE FROM attribution.postback_log WHERE value = 5
                    """)
                let repair = try await store.repairLog(isDry: false)
                #expect(repair.missing == 1 && repair.unknown == 1 && repair.written == 0)
                #expect(repair.left == 1)
            }
        }
    }

    @Test("An event whose body and row of state are gone can't be made again, and is told")
    func left() async throws {
        try await TestDatabase.with { database in
            try await database.withStore { store in
                try await writing.record((0..<5).map { _ in try writing.delivery() }, to: store)
                try await database.run(
                    """
                    DELETE FROM attribution.postback_body
                     WHERE transaction_id = (SELECT min(transaction_id::text)::uuid FROM attribution.postback_state)
                    """)
                #expect(try await store.checkLog(again: .zero) == 1)
                let repair = try await store.repairLog(isDry: false)
                #expect(repair.missing == 0)
                #expect(repair.left == 1)
                #expect(try await store.logProblems().map(\.problem) == [.missingBody])
            }
        }
    }
}
