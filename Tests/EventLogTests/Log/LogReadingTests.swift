import Foundation
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import AdAttribution
@testable import EventLog
@testable import PostbackStore

@Suite(
    "Reading the log by a cursor", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase)
struct LogReadingTests {
    private let writing: LogWriting

    init() throws {
        writing = try LogWriting()
    }

    /// A database with so many lanes.
    private func open(lanes: Int) async throws -> (TestDatabase, PostbackStore, LaneMap) {
        let database = TestDatabase.current
        try await database.prepare(lanes: lanes)
        let store = PostbackStore(pool: try database.serving.openPool(size: 8))
        return (database, store, try await store.lanes())
    }

    @Test("An event says what happened and to which postback", .database(migrated: false))
    func event() async throws {
        let (database, store, _) = try await open(lanes: 1)
        var postback = TestPostback {
            $0.version = "4.0"
            $0.sourceIdentifier = "0123"
            $0.sourceAppID = nil
            $0.sourceDomain = "example.com"
        }
        for value in [nil, 5, 9] as [Int?] {
            try await writing.record([try writing.delivery(postback, value)], to: store)
        }
        postback.coarseConversionValue = "high"
        try await writing.record([try writing.delivery(postback, nil)], to: store)
        let events = try await store.read().events
        let nine = ReportedConversionValue.fine(try #require(ConversionValue(9)))
        let five = ReportedConversionValue.fine(try #require(ConversionValue(5)))
        #expect(
            events.map(\.kind) == [
                .accepted(.none), .raised(from: .none, to: five, isFirst: true),
                .raised(from: five, to: nine, isFirst: false), .conflict(stored: nine, offered: .coarse(.high)),
            ])
        for event in events {
            #expect(event.transactionID == UUID(uuidString: postback.transactionID))
            #expect(event.line.network.adNetworkID == "example123.skadnetwork")
            #expect(event.line.network.environment == .test)
            #expect(event.line.network.attributionProtocol == .skAdNetwork)
            #expect(event.line.campaign.type == "source-identifier")
            #expect(event.line.campaign.text == "0123")
            #expect(event.line.advertisedAppID.value == 525_463_029)
            #expect(event.source?.domain?.text == "example.com")
            #expect(event.traits.version == .v4_0)
            #expect(event.traits.signingKey == TestKeys.adAttributionKitKeyName)
            #expect(event.traits.fidelityType == .storeKitRendered)
            #expect(event.didWin && event.sequenceIndex == .first)
            #expect(event.day == PostgresDate(PostbackStore.now()) || event.day == PostgresDate(event.writtenAt))
        }
        #expect(try await database.log() == events.map(\.text))
    }

    @Test(
        "Pages of any size give each event once and in order, also if they end within a batch",
        .database(migrated: false), arguments: [1, 2, 7, 500])
    func pages(_ limit: Int) async throws {
        let (database, store, lanes) = try await open(lanes: 3)
        for lane in 0..<3 {
            let deliveries = try writing.deliveries(10 + lane, lane: lane, of: lanes)
            try await writing.record(deliveries, to: store, batches: lane + 1)
        }
        let (events, cursor) = try await store.read(limit: limit)
        #expect(events.count == 33)
        #expect(events.textByLane == (try await database.log()))
        let after = try await store.events(after: cursor, limit: limit)
        #expect(after.events.isEmpty && after.isAtEnd && after.next == cursor)
    }

    @Test(
        "The lanes share a page, and a lane that has fewer events leaves room to the others", .database(migrated: false)
    )
    func shares() async throws {
        let (_, store, lanes) = try await open(lanes: 3)
        try await writing.record(try writing.deliveries(40, lane: 0, of: lanes), to: store)
        try await writing.record(try writing.deliveries(40, lane: 1, of: lanes), to: store)
        try await writing.record(try writing.deliveries(2, lane: 2, of: lanes), to: store)
        let page = try await store.events(after: .start, limit: 30)
        let counts = Dictionary(grouping: page.events, by: \.lane).mapValues(\.count)
        #expect(counts == [0: 14, 1: 14, 2: 2])
        #expect(!page.isAtEnd)
    }

    @Test(
        "A limit out of range is changed to the nearest limit in range", .database(migrated: false),
        arguments: [0, -1, .min])
    func limit(_ limit: Int) async throws {
        let (_, store, lanes) = try await open(lanes: 1)
        try await writing.record(try writing.deliveries(2, lane: 0, of: lanes), to: store)
        #expect(try await store.events(after: .start, limit: limit).events.count == 1)
        #expect(try await store.events(after: .start, limit: .max).events.count == 2)
    }

    @Test(
        "With two stores that write at once, a reader sees each event once, in order", .database(migrated: false),
        arguments: [1, 4])
    func writers(_ lanes: Int) async throws {
        let (database, first, _) = try await open(lanes: lanes)
        try await database.withPool(size: 8) { pool in
            let second = PostbackStore(pool: pool)
            let postbacks = (0..<60).map { _ in TestPostback() }
            let areDone = Atomic(false)
            async let writers: Void = withThrowingTaskGroup(of: Void.self) { group in
                defer { areDone.store(true, ordering: .releasing) }
                for (writer, store) in [first, second, first, second].enumerated() {
                    group.addTask {
                        var random = SeededGenerator(seed: UInt64(writer))
                        for _ in 0..<25 {
                            var batch: [PostbackDelivery] = []
                            for _ in 0..<Int.random(in: 1...20, using: &random) {
                                let postback = postbacks[Int.random(in: postbacks.indices, using: &random)]
                                batch.append(try writing.delivery(postback, Int.random(in: 0...63, using: &random)))
                            }
                            try await writing.record(batch, to: store)
                        }
                    }
                }
                try await group.waitForAll()
            }
            var random = SeededGenerator(seed: 99)
            var events: [LogEvent] = []
            var cursor = LogCursor.start
            var pages = 0
            while !areDone.load(ordering: .acquiring) {
                let page = try await first.events(after: cursor, limit: Int.random(in: 1...40, using: &random))
                events += page.events
                pages += page.events.isEmpty ? 0 : 1
                cursor = page.next
            }
            try await writers
            #expect(pages > 1, "the reader read while the writers wrote")
            events += try await first.read(after: cursor).events
            #expect(events.textByLane == (try await database.log()))
            #expect(events.count >= postbacks.count)
        }
    }
}
