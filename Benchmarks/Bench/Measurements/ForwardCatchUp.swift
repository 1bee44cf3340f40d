import Foundation
import Synchronization

/// A destination that is millions of events behind, and catches up while more arrive.
struct ForwardCatchUp {
    let bench: Workbench

    /// Postbacks a second that arrive meanwhile.
    private static let rate = 500
    /// How long each part of them takes.
    private static let partSeconds = 60
    /// For how long they arrive before, with no server that sends.
    private static let secondsBefore = 30
    /// It has caught up if no more than this is under way: what a server has beyond the place that is stored.
    private static let window = 500

    private struct CatchUp: Sendable {
        /// Deliveries a second.
        let rate: Double
        let seconds: Double
        /// Of the slowest part, in milliseconds.
        let countingP99: Double
        let peakMegabytes: Double?
    }

    /// The load of one part, and whether there shall be another one.
    private final class Arriving: Sendable {
        private let isOver = Atomic(false)

        var goesOn: Bool { !isOver.load(ordering: .relaxed) }

        func end() { isOver.store(true, ordering: .relaxed) }
    }

    func run() async throws {
        let bench = bench
        let figures: [Reading<CatchUp>] = [
            Reading("forward_catch_up", "1/s") { $0.rate },
            Reading("forward_catch_up_seconds", "s") { $0.seconds },
            Reading("forward_catch_up_counting_p99_ms", "ms") { $0.countingP99 },
            Reading("forward_catch_up_peak_rss", "MB") { $0.peakMegabytes },
        ]
        try await bench.take(round: 1, figures) {
            try await bench.withReceiver { receiver in
                try await bench.fill(bench.own, from: ".", bench.settings.forwardRows) {
                    try await receiver.load([.answering], into: bench.own)
                }
                try await bench.own.settle()
                let before = try await measureBefore()
                try bench.record("forward_catch_up_counting_p99_ms", "ms", .baseline, round: 1, before.p99)
                return try await catchUp(receiver)
            }
        }
        // Without arrivals, as it was measured in the rounds.
        let backlog = bench.recorder.samples.filter { $0.figure == "forward_backlog" && $0.kind == .value }
        try bench.record(
            "forward_catch_up", "1/s", .baseline, round: 1, FigureSummary.median(backlog.compactMap(\.value)))
        try await bench.own.empty()
    }

    /// The same arrivals while nobody sends; they are behind as well then.
    private func measureBefore() async throws -> HTTPReading {
        let bench = bench
        try await makePart(0, seconds: Self.secondsBefore)
        return try await bench.withServer(bench.own, settings: ["FORWARDING": "off"]) { server in
            try await bench.measure(load(0, seconds: Self.secondsBefore), on: server, of: bench.own)
        }
    }

    private func catchUp(_ receiver: MeasuredReceiver) async throws -> CatchUp {
        let bench = bench
        let behind = Int(try await bench.own.count())
        try await makePart(1, seconds: Self.partSeconds)
        return try await bench.withForwardingServer { server in
            let start = ContinuousClock.now
            let arriving = Arriving()
            async let slowest = arrive(at: server, arriving)
            let seconds: Double
            do {
                defer { arriving.end() }
                try await waitUntilCaughtUp(behind, receiver, server)
                seconds = (ContinuousClock.now - start) / .seconds(1)
            }
            let reading = try await receiver.reading()
            return CatchUp(
                rate: Double(reading.received) / seconds, seconds: seconds, countingP99: try await slowest,
                peakMegabytes: ProcessStatus.peakMegabytes(of: server.program.id))
        }
    }

    private func waitUntilCaughtUp(
        _ behind: Int, _ receiver: MeasuredReceiver, _ server: Workbench.MeasuredServer
    ) async throws {
        // As slowly as half of what must be reached, with what arrives meanwhile.
        let deadline = ContinuousClock.now + .seconds(600 + behind / 1_000)
        while true {
            let received = try await receiver.reading().received
            let left = behind + (try await bench.countAccepted(by: server)) - received
            if left <= Self.window { return }
            guard ContinuousClock.now < deadline else { throw BenchError("\(left) events were not forwarded in time") }
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// Posts part after part; each is made while the one before is sent.
    ///
    /// - Returns: The 99th percentile of the slowest part, in milliseconds.
    private func arrive(at server: Workbench.MeasuredServer, _ arriving: Arriving) async throws -> Double {
        var slowest = 0.0
        var number = 1
        while arriving.goesOn {
            let part = number
            async let next: Void = makePart(part + 1, seconds: Self.partSeconds)
            let reading = try await bench.measure(load(part, seconds: Self.partSeconds), on: server, of: bench.own)
            slowest = max(slowest, reading.p99)
            try await next
            try FileManager.default.removeItem(atPath: bench.postbacks(name(part)))
            number += 1
        }
        return slowest
    }

    private func load(_ part: Int, seconds: Int) -> HTTPLoad {
        HTTPLoad(postbacks: name(part), connections: 64, rate: Self.rate, seconds: seconds)
    }

    private func name(_ part: Int) -> String { "forward-\(part)" }

    /// Postbacks that no other part has; the clients are at random moments, so there are some more than the rate says.
    private func makePart(_ part: Int, seconds: Int) async throws {
        try await bench.tools.run(
            bench.own.programs + "/adsign",
            [
                "simulate", "--version", "4.0", "--key", bench.keys + "/load-test-p256.pem", "--count",
                String(Self.rate * seconds * 11 / 10), "--seed", String(10_000 + part),
            ], to: bench.postbacks(name(part)))
    }
}
