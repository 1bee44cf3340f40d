import AdAttribution
import ArgumentParser
import Foundation
import Logging
import PostbackStore
import PostgresClient
import Synchronization

/// `bench store`: deliveries that are verified already into the database, in batches over several connections.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Record verified postbacks, and print how many a second.")

    @OptionGroup
    var rows: RowOptions

    @Option(name: .long, help: "A libpq connection string.")
    var url: String

    @Option(name: .long, help: "How many batches are written at once.")
    var connections = 2

    @Option(name: .long, help: "How many postbacks a batch has.")
    var batch = 500

    func run() async throws {
        let deliveries = try rows.deliveries()
        let pool = PostgresPool(
            configuration: PostgresConfiguration(connectionString: url), size: connections + 1,
            logger: Logger(label: "bench"))
        let store = PostbackStore(pool: pool)
        let next = Mutex(0)
        let take: @Sendable () -> ArraySlice<PostbackDelivery>? = {
            next.withLock { next in
                guard next < deliveries.count else { return nil }
                defer { next += batch }
                return deliveries[next..<min(next + batch, deliveries.count)]
            }
        }
        let start = ContinuousClock.now
        // As the server does beside its writers; and once more at the end, so that all of the work is in the time.
        let folding = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(5))
                _ = try? await store.foldAllChanges()
            }
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<connections {
                group.addTask {
                    while let batch = take() {
                        for result in await store.record(Array(batch)) {
                            guard try result.get() == .accepted else { throw BenchError.wrongResult }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        folding.cancel()
        await folding.value
        _ = try await store.foldAllChanges()
        let time = ContinuousClock.now - start
        await pool.close()
        print(Int(Double(deliveries.count) / (time / .seconds(1))))
    }
}

/// `bench rows`: the same deliveries as COPY tuples in a file, for the baseline by hand.
struct RowsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rows", abstract: "Write verified postbacks as tuples of a binary COPY to stdout.")

    @OptionGroup
    var rows: RowOptions

    func run() throws {
        var output: [UInt8] = []
        for delivery in try rows.deliveries() {
            let tuple = delivery.copyTuple
            withUnsafeBytes(of: UInt32(tuple.count)) { output.append(contentsOf: $0) }
            output.append(contentsOf: tuple)
        }
        FileHandle.standardOutput.write(Data(output))
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
