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

    func run() async throws {
        let deliveries = try rows.deliveries()
        let connections = StoreConnections(
            PostgresConfiguration(connectionString: url), size: 2, logger: Logger(label: "bench"))
        let store = PostbackStore(connections)
        let writers = StoreWriters(
            store, lanes: try await store.lanes(), writers: self.connections, batchSize: batch)
        let start = ContinuousClock.now
        // As the server does beside its writers; and once more at the end, so that all of the work is in the time.
        let folding = StoreFolding(store)
        try await writers.record(deliveries)
        await folding.end()
        try await store.fold()
        let time = ContinuousClock.now - start
        await connections.close()
        print(Int(Double(deliveries.count) / (time / .seconds(1))))
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

    func deliveries() throws -> [PostbackDelivery] {
        guard let kind = SimulatedKind(benchName: kind) else { throw ValidationError("no such kind") }
        return try Postbacks(kind, count: count, seed: seed).deliveries()
    }
}
