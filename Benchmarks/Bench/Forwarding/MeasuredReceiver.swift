import Foundation

/// A receiver that runs beside a measurement (`bench receive`), with the destinations that send to it.
struct MeasuredReceiver: Sendable {
    let port: Int
    fileprivate let bench: Workbench

    /// Whom a server sends to.
    enum Destination: Sendable, Equatable {
        /// Everything is answered at once, and counted.
        case answering
        /// Nothing is ever answered.
        case hanging(number: Int)

        /// Its file: every postback that a run makes, as it came, with the limits that a file has which says nothing.
        func document(port: Int) -> String {
            let (name, path) =
                switch self {
                case .answering: ("answering", "/")
                case .hanging(let number): ("hanging-\(number)", ForwardReceiver.hangPath)
                }
            return """
                {
                  "name": "\(name)",
                  "when": { "environment": ["production", "test"] },
                  "method": "POST",
                  "url": "http://127.0.0.1:\(port)\(path)",
                  "content-type": "application/json",
                  "headers": { "\(ForwardReceiver.receivedHeader)": "{received-millis}" },
                  "body": "raw",
                  "allow-http": true
                }
                """
        }
    }

    /// What servers need that send to it.
    static let settings = ["FORWARD_ALLOW_ADDRESSES": "127.0.0.1/32"]

    /// What it has counted by now.
    func reading() async throws -> ReceiverReading {
        try ReceiverReading(
            json: await bench.tools.run(
                "curl", ["-s", "-m", "10", "http://127.0.0.1:\(port)\(ForwardReceiver.readingPath)"]))
    }

    /// Waits until it has got so many requests.
    ///
    /// - Throws: `BenchError` if it has not by then.
    func wait(for count: Int, within limit: Duration) async throws -> ReceiverReading {
        let deadline = ContinuousClock.now + limit
        while true {
            let reading = try await reading()
            if reading.received >= count { return reading }
            guard ContinuousClock.now < deadline else {
                throw BenchError("\(reading.received) of \(count) events were forwarded within \(limit)")
            }
            // Each look is a program that takes its share of the cores.
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Loads destinations into a store, which get every event from the first one on.
    func load(_ destinations: [Destination], into store: MeasuredStore) async throws {
        let file = bench.folder + "/destination.json"
        for destination in destinations {
            try Data(destination.document(port: port).utf8).write(to: URL(filePath: file))
            try await bench.tools.run(
                store.programs + "/PostbackServer", ["destination", "load", file],
                changes: ["DATABASE_URL": store.url, "KEYRING_PATH": bench.keys])
        }
        // Generated postbacks are older than the destination.
        try await store.run(
            """
            INSERT INTO attribution.log_reader (reader, lane, position, ordinal, moved_at)
            SELECT 'forward.' || name, lane, 0, 0, clock_timestamp()
              FROM attribution.destination CROSS JOIN attribution.lane
            ON CONFLICT (reader, lane) DO UPDATE SET position = 0, ordinal = 0
            """)
    }
}

extension Workbench {
    /// Starts a receiver, and ends it after a body.
    func withReceiver<Value: Sendable>(
        _ body: @escaping @Sendable (MeasuredReceiver) async throws -> Value
    ) async throws -> Value {
        let port = try await freePort()
        return try await tools.with(
            own.programs + "/bench", ["receive", "--port", String(port)], folder: folder, log: serverLog
        ) { program in
            try await program.wait { await isOpen(port) }
            return try await body(MeasuredReceiver(port: port, bench: self))
        }
    }

    /// Starts a server, waits until it sends for all destinations of its store, and ends it after a body.
    func withForwardingServer<Value: Sendable>(
        _ body: @escaping @Sendable (MeasuredServer) async throws -> Value
    ) async throws -> Value {
        let store = own
        return try await withServer(store, settings: MeasuredReceiver.settings) { server in
            try await server.program.wait {
                let idle = "SELECT count(*) FROM attribution.destination WHERE leader IS NULL"
                return (try? await store.number(idle)) == 0
            }
            return try await body(server)
        }
    }
}
