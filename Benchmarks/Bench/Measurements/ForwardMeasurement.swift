/// Forwarding beside counting; the baseline is the same server without a destination, in the same round.
struct ForwardMeasurement {
    let bench: Workbench

    /// Postbacks a second that one destination must keep up with.
    private static let steadyRate = 1_500
    /// Postbacks a second while nine of ten destinations hang, and for how long: beyond the timeout of a request.
    private static let hangingRate = 500
    private static let hangingSeconds = 40
    /// Longer than everything that is forwarded here takes.
    private static let patience = Duration.seconds(900)

    /// What a server made of a load, and what became of it at the receiver.
    private struct Forwarded: Sendable {
        let counting: HTTPReading
        /// Without a destination there is none.
        var deliveries: Deliveries?
    }

    private struct Deliveries: Sendable {
        /// Deliveries a second while the load lasted.
        let rate: Double
        /// Seconds from the end of the load until everything was delivered.
        let catchUp: Double
        /// All of them.
        let reading: ReceiverReading
        /// The most memory that the server had by then.
        let peakMegabytes: Double?

        /// The 99th percentile from receipt to delivery, in milliseconds.
        var p99: Double? { reading.p99.map { Double($0) } }
    }

    func run(round: Int) async throws {
        try await runSteadily(round)
        try await runInFull(round)
        try await runBacklog(round)
        try await runBesideHanging(round)
        try await bench.own.empty()
    }

    private func runSteadily(_ round: Int) async throws {
        let figure = "forward_\(Self.steadyRate)"
        let load = HTTPLoad(postbacks: "4.0", connections: 64, rate: Self.steadyRate)
        let forwarded = try await compare(
            round, load, [.answering],
            [
                Reading(figure + "_counting_p99_ms", "ms") { $0.counting.p99 },
                Reading(figure + "_cpu_server", "us") { $0.counting.serverMicros },
                Reading(figure + "_cpu_postgres", "us") { $0.counting.clusterMicros },
                Reading(figure + "_p99_ms", "ms") { $0.deliveries?.p99 },
                Reading(figure + "_rate", "1/s") { $0.deliveries?.rate },
            ])
        // What it keeps up with.
        try bench.record(figure + "_rate", "1/s", .baseline, round: round, forwarded?.counting.rate)
    }

    private func runInFull(_ round: Int) async throws {
        let load = HTTPLoad(postbacks: "4.0", connections: 64)
        try await compare(
            round, load, [.answering],
            [
                Reading("forward_full_counting", "1/s") { $0.counting.rate },
                Reading("forward_full_counting_p99_ms", "ms") { $0.counting.p99 },
                Reading("forward_full_rate", "1/s") { $0.deliveries?.rate },
                Reading("forward_full_catch_up", "s") { $0.deliveries?.catchUp },
                Reading("forward_full_peak_rss", "MB") { $0.deliveries?.peakMegabytes ?? $0.counting.peakMegabytes },
            ])
    }

    /// Nine destinations get no answer; the baseline has the tenth alone.
    private func runBesideHanging(_ round: Int) async throws {
        let load = HTTPLoad(
            postbacks: "4.0", connections: 64, rate: Self.hangingRate, seconds: Self.hangingSeconds)
        let readings: [Reading<Forwarded>] = [
            Reading("forward_hanging_p99_ms", "ms") { $0.deliveries?.p99 },
            Reading("forward_hanging_counting_p99_ms", "ms") { $0.counting.p99 },
            Reading("forward_hanging_peak_rss", "MB") { $0.deliveries?.peakMegabytes },
        ]
        let hanging = (1...9).map { MeasuredReceiver.Destination.hanging(number: $0) }
        try await bench.compare(round: round, readings) {
            try await forward(load, to: [.answering] + hanging)
        } baseline: {
            try await forward(load, to: [.answering])
        }
    }

    /// As many events as a destination is behind are sent to one receiver; the baseline is what `wrk` sends to it over as
    /// many connections.
    private func runBacklog(_ round: Int) async throws {
        let rows = bench.settings.seconds * 20_000
        let rate: [Reading<Double>] = [Reading("forward_backlog", "1/s")]
        try await bench.compare(round: round, rate) {
            try await bench.withReceiver { receiver in
                try await bench.fill(bench.own, from: ".", rows) {
                    try await receiver.load([.answering], into: bench.own)
                }
                try await bench.own.settle()
                return try await bench.withForwardingServer { _ in
                    let reading = try await receiver.wait(for: rows, within: Self.patience)
                    guard let rate = reading.rate else { throw BenchError("all came at the same moment") }
                    return rate
                }
            }
        } baseline: {
            try await bench.withReceiver { receiver in
                try await bench.runWrk(HTTPLoad(postbacks: "4.0", connections: 32), port: receiver.port).rate
            }
        }
    }

    /// A load with destinations beside the same load without any.
    @discardableResult
    private func compare(
        _ round: Int, _ load: HTTPLoad, _ destinations: [MeasuredReceiver.Destination],
        _ readings: [Reading<Forwarded>]
    ) async throws -> Forwarded? {
        try await bench.compare(round: round, readings) {
            try await forward(load, to: destinations)
        } baseline: {
            Forwarded(counting: try await bench.post(load, to: bench.own))
        }
    }

    /// Posts to a server on an empty store that sends to destinations, and waits until the answering one has everything.
    private func forward(
        _ load: HTTPLoad, to destinations: [MeasuredReceiver.Destination]
    ) async throws -> Forwarded {
        let bench = bench
        return try await bench.withReceiver { receiver in
            try await bench.own.empty()
            try await receiver.load(destinations, into: bench.own)
            return try await bench.withForwardingServer { server in
                let counting = try await bench.measure(load, on: server, of: bench.own)
                let end = ContinuousClock.now
                let delivered = try await receiver.reading().received
                let reading = try await receiver.wait(for: Int(bench.own.count()), within: Self.patience)
                return Forwarded(
                    counting: counting,
                    deliveries: Deliveries(
                        rate: Double(delivered) * counting.rate / Double(max(1, counting.requests)),
                        catchUp: (ContinuousClock.now - end) / .seconds(1), reading: reading,
                        peakMegabytes: ProcessStatus.peakMegabytes(of: server.program.id)))
            }
        }
    }
}
