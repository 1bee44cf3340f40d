import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("The Unix socket of the admin listener")
    struct AdminSocketTests {
        /// A server that listens at a socket, and the socket's path.
        private func listening() async throws -> (Installation, ServerProcess, PostbackClient, path: String) {
            let installation = try Installation.current
            let path = installation.folder + "/admin.sock"
            let (server, client) = try await installation.start(["ADMIN_SOCKET": path])
            try await server.listensOnSocket()
            return (installation, server, client, path)
        }

        private func sign(
            _ client: PostbackClient, _ path: String, token: String = Installation.token
        ) async throws -> (status: Int, text: String) {
            let host = try #require(path.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            var request = HTTPClientRequest(url: "http+unix://\(host)/v1/impressions")
            request.method = .POST
            request.headers.add(name: "Host", value: "localhost")
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
            request.body = .bytes(ByteBuffer(string: Installation.impression))
            let response = try await client.http.execute(request, timeout: .seconds(60))
            return (Int(response.status.code), String(buffer: try await response.body.collect(upTo: 1 << 20)))
        }

        private func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }

        @Test("Signing works over it, with the token, and its owner and group may connect", .installation)
        func signing() async throws {
            let (_, server, client, path) = try await listening()
            let answer = try await sign(client, path)
            #expect(answer.status == 200)
            #expect(answer.text.contains("signature\":\"M"))
            #expect(try await sign(client, path, token: "another").status == 401)
            #expect(try mode(path) == 0o660)
            let admin = try await client.admin(of: server)
            let metrics = try await admin.request(.GET, "/metrics").text
            #expect(metrics.contains("listener=\"admin_socket\""))
        }

        @Test(
            "It is gone when the server has stopped, and a server that was killed does not keep it from the next one",
            .installation)
        func left() async throws {
            let (installation, server, _, path) = try await listening()
            try await server.kill()
            #expect(FileManager.default.fileExists(atPath: path))
            let (next, client) = try await installation.start(["ADMIN_SOCKET": path])
            try await next.listensOnSocket()
            #expect(try await sign(client, path).status == 200)
            next.terminate()
            #expect(try await next.exitCode() == 0)
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        @Test(
            "A path at which another server listens, or that is no socket, stops the start and stays as it is",
            .installation)
        func taken() async throws {
            let (installation, _, client, path) = try await listening()
            try installation.write("mine", to: "file")
            let file = installation.folder + "/file"
            for (taken, reason) in [
                (path, "ADMIN_SOCKET: another program listens at \(path); end it, or choose another path"),
                (file, "ADMIN_SOCKET: \(file): is there and is no socket; choose another path"),
            ] {
                let second = try ServerProcess(environment: installation.environment(["ADMIN_SOCKET": taken]))
                #expect(try await second.exitCode() == 69)
                let line = try await eventually("it says why") {
                    second.lines.last { $0.hasPrefix("PostbackServer: ") }
                }
                #expect(line == "PostbackServer: \(reason)")
                #expect(second.lines.count == 1, "\(second.lines)")
            }
            #expect(try String(contentsOfFile: installation.folder + "/file", encoding: .utf8) == "mine")
            #expect(try await sign(client, path).status == 200)
        }
    }
}
