import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackStore

@Suite(
    "The progress of an import", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase,
    .database(lanes: 2))
struct ImportProgressTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    private static let fingerprint: [UInt8] = [1, 2, 3]
    private let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    private func begin(
        _ store: PostbackStore, size: Int64 = 1_000, again: Bool = false
    ) async throws -> ImportProgress {
        try await store.importProgress(
            fingerprint: Self.fingerprint, file: "archive", size: size, again: again, time: Deliveries.time)
    }

    /// A part whose lines end at 100, 200, and so on, the last one at `end`.
    private func part(_ batch: [PostbackDelivery], from start: Int64 = 0, refused: Int64 = 0) -> ImportPart {
        let entries = batch.enumerated().map { ImportPart.Entry($1, end: start + Int64($0 + 1) * 100) }
        return ImportPart(
            entries: entries, end: start + Int64(batch.count) * 100, lines: start / 100 + Int64(batch.count) + refused,
            refused: refused, time: Deliveries.time)
    }

    /// Six postbacks, of lane 0 and lane 1 in turn.
    private func mixed(_ store: PostbackStore) async throws -> [PostbackDelivery] {
        let lanes = try await store.lanes()
        let even = try deliveries.many(3, lane: 0, of: lanes)
        let odd = try deliveries.many(3, lane: 1, of: lanes)
        return zip(even, odd).flatMap { [$0, $1] }
    }

    @Test(
        "If one lane could not count a part, it continues there, and nothing is counted twice",
        .onPlainDatabase("a distributed table has no triggers"))
    func oneLaneFails() async throws {
        try await database.withStore { store in
            let batch = try await mixed(store)
            try await database.run(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'out of order'; END $$;
                CREATE TRIGGER refuse BEFORE INSERT ON attribution.postback_state
                FOR EACH ROW WHEN (new.lane = 1) EXECUTE FUNCTION refuse()
                """)
            var progress = try await begin(store)
            await #expect(throws: PostgresError.self) { try await store.record(part(batch, refused: 2), &progress) }
            #expect(progress.lanes.map(\.position) == [600, 0])
            #expect(progress.position == 0)
            #expect(progress.counts.accepted == 3)
            // A new process reads the same, and goes on.
            let stored = try await begin(store)
            #expect(stored.lanes == progress.lanes)
            progress = stored
            try await database.run("DROP TRIGGER refuse ON attribution.postback_state")
            // Resumed from the lesser position, with parts that end elsewhere.
            try await store.record(part(Array(batch[..<4]), refused: 2), &progress)
            #expect(progress.lanes.map(\.position) == [600, 400])
            try await store.record(part(Array(batch[4...]), from: 400), &progress)
            #expect(progress.lanes.map(\.position) == [600, 600])
            #expect(progress.counts.accepted == 6)
            #expect(progress.counts.refused == 2)
            #expect(progress.counts.duplicates == 0)
            #expect(try await begin(store).lanes == progress.lanes)
        }
        #expect(try await database.counts() == "6 6 6")
        #expect(try await database.recount() == [])
    }

    @Test("A lane without postbacks in a part moves on with the others", .database(lanes: 5))
    func emptyLane() async throws {
        var progress = try await begin(store)
        let batch = try await deliveries.many(4, lane: 3, of: store.lanes())
        try await store.record(part(batch, refused: 1), &progress)
        #expect(progress.position == 400)
        #expect(progress.lines == 5)
        #expect(progress.counts.accepted == 4)
        #expect(progress.counts.refused == 1)
        #expect(try await begin(store).lanes == progress.lanes)
    }

    @Test("A postback that the database refuses counts as refused, and the import moves on")
    func refused() async throws {
        try await database.withStore { store in
            let batch = try await mixed(store)
            try await database.run(
                "ALTER TABLE attribution.postback_state ADD CHECK (transaction_id <> '\(batch[3].transactionID)')")
            var progress = try await begin(store)
            try await store.record(part(batch + batch[..<2]), &progress)
            #expect(progress.position == 800)
            #expect(progress.counts.accepted == 5)
            #expect(progress.counts.duplicates == 2)
            #expect(progress.counts.refused == 1)
            #expect(try await begin(store).lanes == progress.lanes)
        }
        #expect(try await database.counts() == "5 5 5")
    }

    @Test("An archive with refused lines begins again once it is read, another one only if that is asked for")
    func begunAgain() async throws {
        try await database.withStore { store in
            let batch = try await mixed(store)
            var progress = try await begin(store, size: 600)
            try await store.record(part(Array(batch[..<3]), refused: 2), &progress)
            // It is not at its end, so it goes on.
            progress = try await begin(store, size: 600)
            #expect(progress.replaced == nil && progress.position == 300 && progress.counts.refused == 2)
            try await store.record(part(Array(batch[3...]), from: 300), &progress)
            #expect(progress.isComplete)
            let read = progress.reading
            #expect(read.counts.accepted == 6 && read.counts.refused == 2)

            progress = try await begin(store, size: 600)
            #expect(progress.replaced == read && progress.replaced?.isWhole == true)
            #expect(progress.lanes == [LaneProgress(), LaneProgress()])
            // What is stored begins again with it.
            progress = try await begin(store, size: 600)
            #expect(progress.replaced == nil && progress.lanes == [LaneProgress(), LaneProgress()])
            try await store.record(part(batch), &progress)
            #expect(progress.counts.duplicates == 6 && progress.counts.total == 6)

            // Nothing was refused now.
            let whole = try await begin(store, size: 600)
            #expect(whole.replaced == nil && whole.isComplete && whole.lanes == progress.lanes)
            let again = try await begin(store, size: 600, again: true)
            #expect(again.replaced == whole.reading && again.position == 0 && again.counts.total == 0)
            // A run from before can't write any more.
            await #expect(throws: ImportError.movedOn) { try await store.record(part(batch, from: 600), &progress) }
        }
        #expect(try await database.counts() == "6 6 6")
        #expect(try await database.recount() == [])
    }

    @Test("Of two imports of one archive, the one that began first stops and counts nothing more")
    func movedOn() async throws {
        try await database.withStore { store in
            let batch = try await mixed(store)
            var first = try await begin(store)
            var second = try await begin(store)
            await #expect(throws: ImportError.movedOn) { try await store.record(part(batch), &first) }
            #expect(first.position == 0)
            #expect(try await database.counts() == "0 0 0")
            try await store.record(part(batch), &second)
            await #expect(throws: ImportError.movedOn) { try await store.record(part(batch), &first) }
            #expect(try await begin(store).lanes == second.lanes)
        }
        #expect(try await database.counts() == "6 6 6")
        #expect(try await database.recount() == [])
    }
}
