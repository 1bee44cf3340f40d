import Glibc
import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("File descriptors")
    struct DescriptorTests {
        @Test("If few files may be open, silent clients leave room for health, readiness and the database")
        func fewDescriptors() async throws {
            try await Installation.with { installation in
                try await installation.withServer(openFiles: 256) { server, client in
                    let line = try #require(server.lines.first { $0.contains("limit of open files") })
                    #expect(line.contains("\"open_files\":\"256\"") && line.contains("\"wanted\":\"4096\""), "\(line)")
                    let adminPort = try await server.port(of: "admin")
                    // This connection stays open while the silent ones are there.
                    #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
                    let silent = try SilentConnections(600, to: client.port)
                    defer { silent.close() }
                    let statuses = try await PostbackClient.with(port: adminPort) { admin in
                        var statuses: [Int] = []
                        for path in Array(repeating: ["/health", "/ready"], count: 20).joined() {
                            statuses.append(try await admin.request(.GET, path).status)
                        }
                        return statuses
                    }
                    #expect(statuses == Array(repeating: 200, count: 40))
                    // Postbacks of both lanes and of new campaigns need every kind of connection to the database.
                    let bodies = try installation.keys.simulate(seed: 8, count: 40)
                    for body in bodies { #expect(try await client.post(body).outcome == "accepted") }
                    #expect(try await client.post(Array("{}".utf8)).status == 400)
                    #expect(server.isRunning)
                }
                let stored = try await installation.database.value("SELECT count(*) FROM attribution.postback")
                #expect(stored == "41")
            }
        }

        @Test("A limit that leaves no connection for clients stops the start")
        func tooFewDescriptors() async throws {
            try await Installation.with { installation in
                let server = try ServerProcess(environment: installation.environment(), openFiles: 64)
                #expect(try await server.exitCode() == 78)
                #expect(server.lines.contains { $0.contains("HTTP_MAX_CONNECTIONS: ") && $0.contains("is 64") })
            }
        }
    }
}

/// Connections that send nothing.
private final class SilentConnections {
    private let sockets: [Int32]

    /// Connects a number of times to a port of this machine.
    init(_ count: Int, to port: Int) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var sockets: [Int32] = []
        for _ in 0..<count {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            try #require(descriptor >= 0)
            sockets.append(descriptor)
            let status = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(status == 0)
        }
        self.sockets = sockets
    }

    func close() {
        for socket in sockets { _ = Glibc.close(socket) }
    }
}
