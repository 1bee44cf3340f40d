import ArgumentParser
import Foundation
import NIOCore

/// `bench sidecar`: signing over the Unix socket of the admin listener beside signing over TCP.
///
/// Each round measures one directly after the other, with the same clients: requests are sent at their times, whether
/// earlier ones are answered or not, on connections that stay open.
struct SidecarCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sidecar",
        abstract:
            "Sign impressions over TCP and over a Unix socket of a server that runs; print how late the answers are.")

    @Option(name: .long, help: "The port of the server's admin listener on 127.0.0.1.")
    var port: Int

    @Option(name: .long, help: "The path of its Unix socket, ADMIN_SOCKET.")
    var socket: String

    @Option(name: .long, help: "A file with an impression in each line, as `adsign sign --batch` takes them.")
    var impressions: String

    @Option(name: .long, help: "How many impressions are signed a second.")
    var rate = 5_000.0

    @Option(name: .long, help: "For how many seconds, over each.")
    var seconds = 10

    @Option(name: .long, help: "How often both are measured.")
    var rounds = 5

    func run() async throws {
        guard let token = ProcessInfo.processInfo.environment["ADMIN_TOKEN"] else {
            throw BenchError("ADMIN_TOKEN must be set: the token of the server")
        }
        let requests = try String(contentsOfFile: impressions, encoding: .utf8).split(separator: "\n").map {
            Self.request($0, token)
        }
        guard !requests.isEmpty else { throw BenchError("\(impressions): no impression") }
        let places = [
            ("TCP", try SocketAddress(ipAddress: "127.0.0.1", port: port)),
            ("socket", try SocketAddress(unixDomainSocketPath: socket)),
        ]
        var readings: [String: [LatencyReading]] = [:]
        for round in 1...max(1, rounds) {
            for (name, target) in places {
                let clients = OpenLoop(target: target, requests: requests)
                let reading = LatencyReading(try await clients.run(rate: rate, seconds: seconds))
                try await clients.end()
                readings[name, default: []].append(reading)
                print("round \(round) \(name): \(reading)")
            }
        }
        for (name, _) in places {
            let own = readings[name, default: []]
            print(
                "median \(name):",
                String(
                    format: "p50 %.3f ms, p99 %.3f ms", LatencyReading.median(own.map(\.p50)),
                    LatencyReading.median(own.map(\.p99))))
        }
    }

    private static func request(_ impression: Substring, _ token: String) -> ByteBuffer {
        ByteBuffer(
            string: """
                POST /v1/impressions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\
                Content-Type: application/json\r\nContent-Length: \(impression.utf8.count)\r\n\r\n\(impression)
                """)
    }
}

/// How late the answers of one run were, in milliseconds.
private struct LatencyReading: CustomStringConvertible {
    let p50: Double
    let p99: Double
    let signed: Int
    let others: Int

    init(_ answers: [OpenLoop.Answer]) {
        let times = answers.filter { $0.status == 200 }.map { $0.seconds * 1_000 }.sorted()
        p50 = times.isEmpty ? .nan : times[times.count / 2]
        p99 = times.isEmpty ? .nan : times[times.count * 99 / 100]
        signed = times.count
        others = answers.count - times.count
    }

    var description: String {
        "\(signed) signed, \(others) not, " + String(format: "p50 %.3f ms, p99 %.3f ms", p50, p99)
    }

    static func median(_ values: [Double]) -> Double {
        values.isEmpty ? .nan : values.sorted()[values.count / 2]
    }
}
