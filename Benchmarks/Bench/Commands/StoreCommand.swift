import AdAttribution
import ArgumentParser
import Foundation
import Logging
import PostbackSimulation
import PostbackStore
import PostgresClient

/// `bench store`: deliveries that are verified already into the database, in batches over several connections.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Record verified postbacks, and print how many a second.")

    @OptionGroup
    var rows: RowOptions

    @Option(name: .long, help: "A libpq connection string.")
    var url: String

    @Option(
        name: .long, help: "How many batches are written at once; 0 stands for one for each lane, as the server does.")
    var connections = 2

    @Option(name: .long, help: "How many postbacks a batch has.")
    var batch = 500

    @Flag(name: .long, help: "First record the same postbacks under other transaction ids, which takes no time.")
    var warm = false

    @Flag(name: .long, help: "Fold nothing.")
    var unfolded = false

    func run() async throws {
        let known = warm ? try rows.deliveries(occasion: rows.occasion + 1) : []
        let deliveries = try rows.deliveries(occasion: rows.occasion)
        let connections = StoreConnections(
            PostgresConfiguration(connectionString: url), size: 2, logger: Logger(label: "bench"))
        let store = PostbackStore(connections)
        let writers = StoreWriters(
            store, lanes: try await store.lanes(), writers: self.connections, batchSize: batch)
        try await write(known, writers, store)
        let start = ContinuousClock.now
        try await write(deliveries, writers, store)
        let time = ContinuousClock.now - start
        await connections.close()
        print(Int(Double(deliveries.count) / (time / .seconds(1))))
    }

    private func write(_ deliveries: [PostbackDelivery], _ writers: StoreWriters, _ store: PostbackStore) async throws {
        guard !unfolded else { return try await writers.record(deliveries) }
        // As the server does beside its writers; and once more at the end, so that all of the work is in the time.
        let folding = StoreFolding(store)
        try await writers.record(deliveries)
        await folding.end()
        try await store.fold()
    }
}

/// Which deliveries are written.
struct RowOptions: ParsableArguments {
    @Option(name: .long, help: "A version of SKAdNetwork, or adattributionkit.")
    var kind = "4.0"

    @Option(name: .long, help: "How many postbacks.")
    var count = 100_000

    @Option(name: .long, help: "Decides what the postbacks are.")
    var seed: UInt64 = 1

    @Option(name: .long, help: "How many sources and lines they have: equal or zipf. As usual by default.")
    var load: CardinalityLoad?

    @Option(name: .long, help: "Another number gives the same postbacks under other transaction ids.")
    var occasion: UInt64 = 0

    /// The deliveries of an occasion.
    func deliveries(occasion: UInt64) throws -> [PostbackDelivery] {
        guard let kind = SimulatedKind(benchName: kind) else { throw ValidationError("no such kind") }
        return try Postbacks(kind, count: count, seed: seed, load: load, occasion: occasion).deliveries()
    }
}
