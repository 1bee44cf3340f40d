import ArgumentParser
import Foundation
import NIOCore

/// `bench steady`: a server under the same load for a long time.
struct SteadyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "steady",
        abstract: """
            Send postbacks to a server that runs, so many a second, whether answers come or not; print after each \
            minute what became of them, and the server's memory and open descriptors.
            """)

    @Option(name: .long, help: "The port of the server's public listener on 127.0.0.1.")
    var port: Int

    @Option(name: .long, help: "The server's process id.")
    var process: Int32

    @Option(name: .long, help: "A file with a postback in each line; they are sent again and again.")
    var postbacks: String

    @Option(name: .long, help: "Requests a second.")
    var rate = 1_000.0

    @Option(name: .long, help: "For how many minutes.")
    var minutes = 30

    func run() async throws {
        let requests = try String(contentsOfFile: postbacks, encoding: .utf8).split(separator: "\n").map {
            PostbackRequest.bytes(Array($0.utf8), closes: false)
        }
        guard !requests.isEmpty else { throw BenchError("\(postbacks): no postbacks") }
        let clients = OpenLoop(target: try SocketAddress(ipAddress: "127.0.0.1", port: port), requests: requests)
        for minute in 1...max(1, minutes) {
            let answers = try await clients.run(rate: rate, seconds: 60, from: (minute - 1) * Int(rate * 60))
            let counts = Dictionary(grouping: answers) { $0.status ?? 0 }.mapValues(\.count)
            let statuses = counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            let times = answers.map(\.seconds).sorted()
            print(
                "minute \(minute): \(statuses.joined(separator: ", "));",
                String(format: "p99 %.3f s;", times.isEmpty ? 0 : times[times.count * 99 / 100]),
                String(format: "%.1f MB,", ProcessStatus.residentMegabytes(of: process) ?? 0),
                "\(descriptors) descriptors")
        }
        try await clients.end()
    }

    private var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count) ?? 0
    }
}
