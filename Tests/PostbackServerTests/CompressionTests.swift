import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Compressed answers")
    struct CompressionTests {
        /// A client that asks with `Accept-Encoding`, and decodes what is compressed.
        private func client(port: Int) throws -> PostbackClient {
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            configuration.decompression = .enabled(limit: .size(1 << 24))
            let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            try Teardown.add { try await http.shutdown() }
            return PostbackClient(http: http, port: port)
        }

        private func isCompressed(_ answer: PostbackClient.Answer) -> Bool {
            answer.headers["Content-Encoding"] == ["gzip"]
        }

        /// A page without what differs each time.
        private func content(_ answer: PostbackClient.Answer) -> String {
            answer.text.replacing(/name="csrf" value="[^"]+"/, with: "")
        }

        @Test(
            "Pages, files and reports are compressed if the client takes gzip, and are the same decoded", .installation)
        func texts() async throws {
            let page = try await PageClient.start(on: Installation.current)
            try await page.signIn()
            let client = try client(port: page.port)
            let cookie = ("Cookie", try #require(page.cookie))
            for path in [
                "/", "/mapping", "/page.css", "/openapi.json", "/v1/reports", "/campaigns?from=wrong",
            ] {
                let headers = [cookie] + Installation.authorization
                let plain = try await client.request(
                    .GET, path, headers: headers + [("Accept-Encoding", "identity")])
                #expect(plain.headers["Content-Encoding"] == [] && plain.headers["Vary"] == ["Accept-Encoding"])
                for accepted in ["gzip", "br, gzip;q=0.5", "gzip, deflate, br, zstd", "*"] {
                    let answer = try await client.request(
                        .GET, path, headers: headers + [("Accept-Encoding", accepted)])
                    #expect(isCompressed(answer), "\(path) \(accepted) \(answer.headers)")
                    #expect(answer.headers["Vary"] == ["Accept-Encoding"])
                    #expect(answer.status == plain.status && content(answer) == content(plain), "\(path)")
                    let size = try #require(answer.headers.first(name: "Content-Length").flatMap { Int($0) })
                    #expect(size < plain.text.utf8.count, "\(path)")
                }
                for refused in ["gzip;q=0", "deflate", "br", "", "zip"] {
                    let answer = try await client.request(.GET, path, headers: headers + [("Accept-Encoding", refused)])
                    #expect(answer.headers["Content-Encoding"] == [], "\(path) \(refused)")
                    #expect(content(answer) == content(plain))
                }
            }
        }

        @Test("Short answers, events and answers of the public listener are not compressed", .server)
        func others() async throws {
            let (_, server, publicClient) = try RunningServer.current
            let page = try PageClient.start(port: try await server.port(of: "admin"))
            try await page.signIn()
            let cookie = ("Cookie", try #require(page.cookie))
            let client = try client(port: page.port)
            let gzip = ("Accept-Encoding", "gzip")
            for path in ["/health", "/v1/nothing", "/icon.svg"] {
                let answer = try await client.request(.GET, path, headers: [gzip, cookie])
                #expect(!isCompressed(answer) && answer.headers["Vary"] == ["Accept-Encoding"], "\(path)")
            }
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(page.port)/live/events")
            for (name, value) in [gzip, cookie] { request.headers.add(name: name, value: value) }
            let events = try await client.http.execute(request, timeout: .seconds(120))
            #expect(events.headers["Content-Encoding"] == [] && events.headers["Vary"] == [])
            var parts = events.body.makeAsyncIterator()
            #expect(try await parts.next().map { String(buffer: $0) }?.hasPrefix("retry: 2000\n") == true)
            let large = [UInt8](repeating: 0x20, count: 20_000)
            for (path, body) in [(PostbackClient.path, Array("{}".utf8)), (PostbackClient.path, large), ("/", [])] {
                let answer = try await publicClient.request(.POST, path, headers: [gzip], body: body)
                #expect(answer.headers["Content-Encoding"] == [] && answer.headers["Vary"] == [])
            }
        }

        @Test("The answer to HEAD has the headers of that to GET, and no body", .installation)
        func head() async throws {
            let page = try await PageClient.start(on: Installation.current)
            let request = { (method: String) in
                Array("\(method) /page.css HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n".utf8)
            }
            func headers(_ answer: String) -> Set<String> {
                let head = answer.components(separatedBy: "\r\n\r\n")[0]
                return Set(head.components(separatedBy: "\r\n").filter { !$0.lowercased().hasPrefix("date:") })
            }
            try await SocketClient.with(port: page.port) { socket in
                try await socket.send(request("HEAD"))
                // What came before the answer to the next request is the answer to this one.
                let both = try await socket.exchange(
                    Array("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
                let first = both.components(separatedBy: "\r\n\r\n")
                #expect(first.count >= 2 && first[1].hasPrefix("HTTP/1.1 200 OK"), "\(both)")
                #expect(headers(both).contains { $0.lowercased() == "content-encoding: gzip" }, "\(both)")
            }
        }

        @Test("A long report comes compressed and whole, and Overview of a quarter has less than 60 kB on the wire")
        func sizes() async throws {
            try await SimulatedQuarter.with(seed: 21) { quarter in
                _ = try await quarter.installation.succeed(["fold"])
                let page = try await PageClient.start(on: quarter.installation)
                try await page.signIn()
                let client = try client(port: page.port)
                let headers = Installation.authorization + [("Cookie", try #require(page.cookie))]
                func both(_ path: String) async throws -> (plain: PostbackClient.Answer, small: PostbackClient.Answer) {
                    (
                        try await client.request(.GET, path, headers: headers + [("Accept-Encoding", "identity")]),
                        try await client.request(.GET, path, headers: headers + [("Accept-Encoding", "gzip")])
                    )
                }
                for format in ["csv", "ndjson", "json"] {
                    let report = try await both(
                        "/v1/reports/install_campaign_daily?environment=test&from=2026-07-01&to=2026-09-30&format="
                            + format)
                    #expect(report.plain.status == 200 && report.plain.text.utf8.count > 65_536)
                    #expect(isCompressed(report.small) && report.small.text == report.plain.text, "\(format)")
                    #expect(report.small.headers["Content-Length"] == [])
                }
                let overview = try await both("/?environment=test&from=2026-07-01&to=2026-09-28")
                #expect(isCompressed(overview.small) && content(overview.small) == content(overview.plain))
                let size = try #require(overview.small.headers.first(name: "Content-Length").flatMap { Int($0) })
                #expect(size < 60_000, "\(size) of \(overview.plain.text.utf8.count)")
            }
        }
    }
}
