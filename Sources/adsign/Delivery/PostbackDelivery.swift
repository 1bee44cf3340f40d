import Synchronization

/// Posts bodies to a server at a steady rate: each at its time, whether the earlier ones were answered or not.
///
/// If all connections wait for answers, the next body waits for one of them. Its time still counts from the moment at
/// which it was due, so a slow server does not look fast.
struct PostbackDelivery: Sendable {
    /// How many deliveries there are.
    let count: Int
    /// How many a second.
    let rate: Double
    /// The greatest number of connections.
    let connections: Int
    let stock: ConnectionStock
    /// The body of a delivery.
    let body: @Sendable (Int) throws -> [UInt8]

    private static let progressSeconds = 2.0

    /// Delivers until the end, or until an interrupt.
    ///
    /// - Throws: What `body` throws.
    func run(_ interrupt: Interrupt) async throws -> DeliverySummary {
        let clock = ContinuousClock()
        let start = clock.now
        let tally = Tally()
        let progress = DeliveryProgress(every: Self.progressSeconds)
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            for index in 0..<count {
                let due = start + .seconds(Double(index) / rate)
                while clock.now < due, !interrupt.happened {
                    // Short sleeps, so that an interrupt is seen.
                    try await clock.sleep(until: min(due, clock.now + .milliseconds(100)))
                    progress.show(done: tally.count, of: count)
                }
                if running == connections {
                    try await group.next()
                    running -= 1
                }
                if interrupt.happened { break }
                group.addTask {
                    let body = try self.body(index)
                    let outcome: DeliverySummary.Outcome
                    do {
                        outcome = .status(try await stock.post(body).status)
                    } catch {
                        outcome = .none(HTTPError.sentence(for: error))
                    }
                    let seconds = (clock.now - due) / .seconds(1)
                    tally.add(outcome, seconds: seconds)
                }
                running += 1
                progress.show(done: tally.count, of: count)
            }
            try await group.waitForAll()
        }
        progress.end()
        await stock.close()
        return tally.summary
    }
}

/// The summary, which many deliveries add to.
private final class Tally: Sendable {
    private let value = Mutex(DeliverySummary())

    var summary: DeliverySummary { value.withLock { $0 } }

    var count: Int { value.withLock { $0.count } }

    func add(_ outcome: DeliverySummary.Outcome, seconds: Double) {
        value.withLock { $0.add(outcome, seconds: seconds) }
    }
}
