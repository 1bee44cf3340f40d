import Foundation
import NIOCore

/// Measures postbacks beside costly requests to the admin listener, one kind after the other.
struct AdminFlood {
    /// The public listener.
    let target: SocketAddress
    let admin: SocketAddress
    /// The server's process id.
    let process: Int32
    let bodies: [[UInt8]]
    /// Postbacks a second.
    let rate: Double
    /// Requests a second to the admin listener.
    let floodRate: Double
    let seconds: Int
    let kinds: [CostlyRequest]

    /// Measures postbacks alone and then beside each kind, and prints a line for each.
    func run() async throws {
        let clients = OpenLoop(
            target: target, requests: bodies.map { PostbackRequest.bytes($0, closes: false) }, threads: 1)
        var sent = 0
        func deliver() async throws -> [OpenLoop.Answer] {
            defer { sent += Int(rate) * seconds }
            return try await clients.run(rate: rate, seconds: seconds, from: sent)
        }
        // The first ones make dimensions and connections.
        _ = try await clients.run(rate: rate, seconds: 2, from: bodies.count - 2 * Int(rate))
        print("\(Int(rate)) postbacks a second; ms from the time at which each was due")
        show("alone", try await deliver(), "")
        for kind in kinds {
            let flood = OpenLoop(target: admin, requests: kind.requests, threads: 1)
            let before = ProcessorTime.of(process)
            async let answers = flood.run(rate: floodRate, seconds: seconds)
            let postbacks = try await deliver()
            let others = try await answers
            let cost = ProcessorTime.of(process).micros(since: before, for: others.count) ?? 0
            try await flood.end()
            show(
                kind.rawValue, postbacks,
                "\(others.count) \(Self.statuses(others)); the server worked \(Int(cost)) µs for each, with postbacks")
        }
        show("alone", try await deliver(), "")
        try await clients.end()
    }

    private func show(_ name: String, _ answers: [OpenLoop.Answer], _ others: String) {
        let times = answers.map { $0.seconds * 1_000 }.sorted()
        guard let most = times.last else { return print(name, "nothing was sent") }
        print(
            name.padding(toLength: 13, withPad: " ", startingAt: 0),
            String(
                format: "p50 %7.1f  p99 %7.1f  most %7.1f", times[times.count / 2], times[times.count * 99 / 100], most),
            " \(answers.count { $0.status != 200 }) of \(answers.count) not 200", others.isEmpty ? "" : "; " + others)
    }

    /// How many answers have which status; `-` is none.
    private static func statuses(_ answers: [OpenLoop.Answer]) -> String {
        Dictionary(grouping: answers) { $0.status.map { "\($0)" } ?? "-" }.sorted { $0.key < $1.key }
            .map { "\($0.key): \($0.value.count)" }.joined(separator: ", ")
    }
}
