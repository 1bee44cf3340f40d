import Access
import AuditTrail
import BackgroundWork
import Logging
import ServiceLifecycle
import Synchronization

/// Writes into the trail what happened to tokens, each time others are in force.
struct TokenTrail: Service {
    let tokens: TokensInForce
    let trail: Trail
    /// The days for which entries of the trail stay; nil for ever.
    let trailDays: Int32?
    let logger: Logger
    var interval: Duration = .seconds(10)

    func run() async throws {
        let noted = Mutex(TokenRing?.none)
        await Repetition.run(every: interval, warning: "what happened to tokens is not in the trail", to: logger) {
            let ring = tokens.ring
            guard noted.withLock({ $0 != ring }) else { return }
            try await trail.note(ring, keptFor: trailDays)
            noted.withLock { $0 = ring }
        }
    }
}
