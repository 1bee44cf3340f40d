import AdAttribution
import Foundation
import NIOCore
import PostbackSimulation

/// `adsign simulate --deliver`.
extension SimulateCommand {
    /// Posts what is simulated, and writes the summary.
    func deliver(to target: HTTPTarget) async throws {
        let simulator = try simulator()
        try await post(simulator.count, to: target) { index in
            guard let body = try? simulator.body(at: index) else {
                throw CommandError(.fault, "\(KeyError.unavailable)")
            }
            return body
        }
    }

    /// Posts so many bodies, and writes the summary.
    func post(
        _ count: Int, to target: HTTPTarget, body: @escaping @Sendable (Int) throws -> [UInt8]
    ) async throws {
        let stock = ConnectionStock(
            target, tls: target.isTLS ? try delivery.trust.context() : nil, timeout: .seconds(30))
        let run = PostbackDelivery(
            count: count, rate: delivery.rate ?? 100, connections: delivery.connections ?? 64, stock: stock, body: body)
        let clock = ContinuousClock()
        let start = clock.now
        let summary = try await run.run(Interrupt())
        let seconds = (clock.now - start) / .seconds(1)
        for line in summary.lines { try StandardStream.output(line: line) }
        let rate = String(format: "%.1f", Double(summary.count) / max(seconds, 0.001))
        // Whether the server took them, the lines above say.
        let word = summary.answered == summary.count ? "sent" : "tried"
        try StandardStream.output(line: "\(summary.count) of \(count) \(word), \(rate) a second")
        guard summary.accepted == summary.count else {
            throw CommandError(
                .verification, "\(summary.count - summary.accepted) of \(summary.count) not answered 200")
        }
    }
}
