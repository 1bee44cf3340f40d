import AdAttribution
import Foundation
import TestSupport
import Testing

@testable import PostbackStore
@testable import PostgresClient

@Suite("What is left of a batch")
struct LaneBatchTests {
    private let deliveries: [PostbackDelivery]
    private let numbers = DimensionIDs(network: 1, line: 1, source: 1, traits: 1)
    private let refusal = PostgresError(.server, sqlState: .checkViolation)
    private let advance = ImportAdvance(
        fingerprint: [1], run: UUID(), before: LaneProgress(), end: 100, lines: 9, refused: 0, time: Deliveries.time)

    init() throws {
        deliveries = try Deliveries().many(5)
    }

    /// A batch of the first deliveries, of which some have no numbers.
    private func batch(
        _ count: Int, without missing: [Int: any Error] = [:], advancing advance: ImportAdvance? = nil
    ) throws -> LaneBatch {
        let ids = (0..<count).map { place -> Result<DimensionIDs, any Error> in
            missing[place].map { .failure($0) } ?? .success(numbers)
        }
        return try LaneBatch(
            Array(deliveries.prefix(count)), ids, on: Timeline(text: "00000001"), of: 0, advancing: advance)
    }

    /// The places of a transaction's deliveries in the batch.
    private func places(_ transaction: BatchTransaction?) -> [Int]? {
        transaction?.batch.deliveries.compactMap { counted in
            deliveries.firstIndex { $0.postback.transactionID == counted.postback.transactionID }
        }
    }

    private func outcomes(_ batch: LaneBatch) -> [DeliveryOutcome?] { batch.results.map { try? $0.get() } }

    @Test("A batch is one transaction, and stays the same one until it is finished")
    func whole() throws {
        var batch = try batch(3)
        #expect(places(batch.nextTransaction()) == [0, 1, 2])
        #expect(places(batch.nextTransaction()) == [0, 1, 2])
        #expect(!batch.isDone)
        batch.finish([.accepted, .duplicate, .raised])
        #expect(batch.isDone)
        #expect(places(batch.nextTransaction()) == nil)
        #expect(outcomes(batch) == [.accepted, .duplicate, .raised])
    }

    @Test("A delivery without numbers fails alone, and the others keep their places")
    func withoutNumbers() throws {
        var batch = try batch(4, without: [1: DimensionError.missing])
        #expect(places(batch.nextTransaction()) == [0, 2, 3])
        batch.finish([.accepted, .conflict, .raised])
        #expect(outcomes(batch) == [.accepted, nil, .conflict, .raised])
    }

    @Test("If the database refuses a value, the batch is halved until the refused delivery is alone")
    func halves() throws {
        var batch = try batch(5)
        var written: [[Int]] = []
        while let places = places(batch.nextTransaction()) {
            written.append(places)
            if places.contains(3) {
                #expect(batch.split(refusal) == true)
            } else {
                batch.finish(places.map { _ in .accepted })
            }
        }
        #expect(written == [[0, 1, 2, 3, 4], [0, 1], [2, 3, 4], [2], [3, 4], [3], [4]])
        #expect(outcomes(batch) == [.accepted, .accepted, .accepted, nil, .accepted])
    }

    @Test("The progress of an import is in the only transaction, with what failed before it")
    func progress() throws {
        var batch = try batch(3, without: [0: refusal], advancing: advance)
        let transaction = batch.nextTransaction()
        let after = try #require(transaction?.advance).after([.accepted, .duplicate])
        #expect(after.position == 100 && after.lines == 9)
        #expect(after.counts.accepted == 1 && after.counts.duplicates == 1 && after.counts.refused == 1)
    }

    @Test("If the batch is halved, the progress is in a transaction after the halves, with all their outcomes")
    func progressAfterHalves() throws {
        var batch = try batch(2, advancing: advance)
        #expect(batch.split(refusal) == true)
        #expect(places(batch.nextTransaction()) == [0])
        let half = batch.nextTransaction()
        #expect(half?.advance == nil)
        batch.finish([.accepted])
        #expect(places(batch.nextTransaction()) == [1])
        #expect(batch.split(refusal) == true)
        #expect(places(batch.nextTransaction()) == [])
        let transaction = batch.nextTransaction()
        let counts = try #require(transaction?.advance).after([]).counts
        #expect(counts.accepted == 1 && counts.refused == 1 && counts.total == 2)
        // No delivery is left whose value could be refused.
        #expect(batch.split(refusal) == false)
        batch.finish([])
        #expect(batch.isDone)
    }

    @Test("A batch without deliveries is written only for the progress of an import")
    func empty() throws {
        #expect(try batch(0).isDone)
        var batch = try batch(0, advancing: advance)
        let transaction = batch.nextTransaction()
        #expect(transaction?.advance != nil)
    }

    @Test("The progress of an import does not pass a delivery whose values were not refused")
    func untried() throws {
        #expect(throws: DimensionError.self) {
            try batch(2, without: [1: DimensionError.missing], advancing: advance)
        }
    }
}
