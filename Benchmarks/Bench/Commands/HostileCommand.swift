import ArgumentParser
import Foundation
import NIOCore

/// `bench hostile`: a server between hostile connections and honest clients.
///
/// First the peak of the honest clients alone is measured, each request on a new connection. Then the same clients send
/// half of that, whether answers come or not, while hostile connections of five kinds are open.
///
/// With `--admin` the hostile clients are at the admin listener instead: they send costly requests without a token, of
/// one kind after the other.
struct HostileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hostile",
        abstract: """
            Send postbacks to a server that runs, each on a new connection, among hostile connections; print what \
            became of them, and the server's memory before, during and after. With --admin: send them on connections \
            that stay open, alone and beside costly requests to the admin listener.
            """)

    @Option(name: .long, help: "The port of the server's public listener on 127.0.0.1.")
    var port: Int

    @Option(name: .long, help: "The server's process id.")
    var process: Int32

    @Option(name: .long, help: "A file with a postback in each line.")
    var postbacks: String

    @Option(name: .long, help: "How many hostile connections.")
    var connections = 5_000

    @Option(name: .long, help: "For how many seconds.")
    var seconds = 60

    @Option(name: .long, help: "Honest requests a second; 0 stands for half of the peak, or for 500 with --admin.")
    var rate = 0.0

    @Option(name: .long, help: "How many seconds after the hostile connections the memory is looked at again.")
    var rest = 60

    @Option(name: .long, help: "How often all this is done.")
    var waves = 1

    @Option(name: .long, help: "The port of the server's admin listener on 127.0.0.1, to which costly requests go.")
    var admin: Int?

    @Option(name: .long, help: "Costly requests a second.")
    var adminRate = 1_000.0

    @Option(
        name: .long, help: ArgumentHelp("Their kinds; all by default.", valueName: "kind,…"),
        transform: { text in
            try text.split(separator: ",").map { name in
                guard let kind = CostlyRequest(rawValue: String(name)) else {
                    let names = CostlyRequest.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ValidationError("must be some of \(names)")
                }
                return kind
            }
        })
    var kinds = CostlyRequest.allCases

    func run() async throws {
        try Self.raiseDescriptorLimit()
        let bodies = try String(contentsOfFile: postbacks, encoding: .utf8).split(separator: "\n").map {
            Array($0.utf8)
        }
        guard !bodies.isEmpty else { throw BenchError("\(postbacks): no postbacks") }
        let target = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        if let admin {
            return try await AdminFlood(
                target: target, admin: try SocketAddress(ipAddress: "127.0.0.1", port: admin), process: process,
                bodies: bodies, rate: rate > 0 ? rate : 500, floodRate: adminRate, seconds: seconds, kinds: kinds
            ).run()
        }
        let honest = HonestClients(target: target, sources: try SourceAddresses(count: 40), bodies: bodies)
        let peak = await honest.peak(clients: 64, seconds: 10)
        let rate = rate > 0 ? rate : peak / 2
        print("peak \(Int(peak)) a second, each on a new connection; \(Int(rate)) a second are sent")
        for wave in 1...max(1, waves) {
            let before = resident
            let hostile = HostileClients(target: target, sources: try SourceAddresses(count: 40))
            hostile.start(connections)
            try await Task.sleep(for: .milliseconds(HostileClients.startMilliseconds) + .seconds(2))
            async let outcome = honest.run(rate: rate, seconds: seconds)
            var during = before
            var open = 0
            let end = ContinuousClock.now + .seconds(seconds)
            while ContinuousClock.now < end {
                during = max(during, resident)
                open = max(open, hostile.open)
                try await Task.sleep(for: .milliseconds(200))
            }
            let result = await outcome
            let connections = hostile.connections
            try await hostile.stop()
            try await Task.sleep(for: .seconds(rest))
            let times = result.microseconds.sorted()
            print(
                """
                wave \(wave): \(times.count) answered, \(result.failed) failed; \
                ms: p50 \(Self.part(0.5, times)), p99 \(Self.part(0.99, times)), most \(Self.part(1, times)); \
                \(connections) hostile connections, at most \(open) at once; \
                resident MB: \(Self.text(before)) before, \(Self.text(during)) during, \(Self.text(resident)) after
                """)
        }
    }

    private var resident: Double { ProcessStatus.residentMegabytes(of: process) ?? 0 }

    private static func part(_ share: Double, _ sorted: [Int64]) -> String {
        guard !sorted.isEmpty else { return "-" }
        return text(Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1_000)
    }

    private static func text(_ number: Double) -> String {
        String(format: "%.1f", number)
    }

    private static func raiseDescriptorLimit() throws {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limits = rlimit()
        guard getrlimit(resource, &limits) == 0 else { return }
        limits.rlim_cur = limits.rlim_max
        guard setrlimit(resource, &limits) == 0 else { throw BenchError("the limit of open files can't be raised") }
    }
}
