import ArgumentParser
import Foundation
import NIOCore

/// `bench overload`: a server that gets ten times of what its database can store.
///
/// First the peak of 128 clients is measured. Then ten times as many requests are sent, whether answers come or not. In
/// the end one client sends one request after the other, until the server is as fast as before.
struct OverloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overload",
        abstract: """
            Send more postbacks to a server that runs than its database can store; print how many were answered with \
            which status and how late, the server's memory, and when it was normal again.
            """)

    @Option(name: .long, help: "The port of the server's public listener on 127.0.0.1.")
    var port: Int

    @Option(name: .long, help: "The server's process id.")
    var process: Int32

    @Option(name: .long, help: "A file with a postback in each line, enough for all seconds.")
    var postbacks: String

    @Option(name: .long, help: "For how many seconds.")
    var seconds = 30

    @Option(name: .long, help: "How many times the peak is sent.")
    var factor = 10.0

    func run() async throws {
        let requests = try String(contentsOfFile: postbacks, encoding: .utf8).split(separator: "\n").map {
            PostbackRequest.bytes(Array($0.utf8), closes: false)
        }
        guard requests.count >= 1_000 else { throw BenchError("\(postbacks): too few postbacks") }
        let target = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        let part = requests.count / 10
        let before = OpenLoop(target: target, requests: Array(requests[..<part]))
        let peak = try await before.peak(clients: 128, seconds: 5)
        try await before.end()
        print("peak \(Int(peak)) a second; \(Int(peak * factor)) a second are sent for \(seconds) s")
        let clients = OpenLoop(target: target, requests: Array(requests[part..<9 * part]))
        let memory = PeakMemory(of: process)
        let start = memory.now
        async let watched: Void = memory.watch()
        let answers = try await clients.run(rate: peak * factor, seconds: seconds)
        memory.end()
        await watched
        Self.show(answers)
        try await clients.end()
        let one = OpenLoop(target: target, requests: Array(requests[(9 * part)...]), threads: 1)
        let after = try await one.run(rate: 20, seconds: 5)
        try await one.end()
        let normal = after.filter { $0.status == 200 && $0.seconds < 1 }.map(\.due).min()
        print(
            """
            normal again after \(normal.map { String(format: "%.2f s", $0) } ?? "more than 5 s"), \
            of \(after.count) requests \(after.count { $0.status == 200 }) with 200; \
            resident MB: \(Int(start)) before, \(Int(memory.peak)) at most, \(Int(memory.now)) now
            """)
    }

    private static func show(_ answers: [OpenLoop.Answer]) {
        let byStatus = Dictionary(grouping: answers) { $0.status ?? 0 }
        for (status, answers) in byStatus.sorted(by: { $0.key < $1.key }) {
            let times = answers.map(\.seconds).sorted()
            let name = status == 0 ? "no answer" : "\(status)"
            print(
                name, answers.count,
                String(
                    format: "p50 %.3f s, p99 %.3f s, most %.3f s", times[times.count / 2],
                    times[times.count * 99 / 100],
                    times.last ?? 0))
        }
    }
}
