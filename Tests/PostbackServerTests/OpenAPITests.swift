import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("The OpenAPI description")
    struct OpenAPITests {
        /// A listener, and the paths of the description that are its own.
        enum Listener: String, CaseIterable {
            case postbacks
            case admin

            var paths: [String] {
                let prefix = "^/(\\.well-known/|v1/app-store/notifications)"
                return [self == .postbacks ? "--include-path-regex" : "--exclude-path-regex", prefix]
            }
        }

        /// What schemathesis checks of each answer.
        ///
        /// The status and the type of each answer must be described, and its body must have described members only. No
        /// answer may be a fault of the server.
        private static let checks = [
            "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
            "response_schema_conformance", "unsupported_method", "allow_header_conformance",
        ]

        private func start() async throws -> (ServerProcess, admin: PostbackClient) {
            let (server, client) = try await Installation.current.start()
            return (server, try await client.admin(of: server))
        }

        @Test("docs/openapi.json is what the admin listener answers", .installation)
        func document() async throws {
            let (_, admin) = try await start()
            let answer = try await admin.request(.GET, "/openapi.json")
            #expect(answer.status == 200)
            #expect(answer.headers.first(name: "Content-Type") == "application/json")
            let text = String(decoding: try TestEnvironment.file("docs/openapi.json"), as: UTF8.self)
            #expect(answer.text == text, "make it anew: curl -s http://127.0.0.1:8081/openapi.json > docs/openapi.json")
        }

        @Test("A request that the public listener does not read to its end is answered as described", .installation)
        func refusedRequests() async throws {
            let (_, client) = try await Installation.current.start()
            let document = try #require(
                JSONSerialization.jsonObject(with: Data(try TestEnvironment.file("docs/openapi.json")))
                    as? [String: Any])
            func member(_ path: String...) throws -> Any {
                try path.reduce(document as Any) { try #require(($0 as? [String: Any])?[$1], "\(path)") }
            }
            let outcomes = try #require(
                try member("components", "schemas", "RefusedRequest", "properties", "outcome", "enum") as? [String])
            let paths = try #require(try member("paths") as? [String: Any]).keys.filter {
                $0.hasPrefix("/.well-known/")
            }
            #expect(paths.count == 3)
            for path in paths {
                for (headers, body, status) in [
                    ([], Array(repeating: UInt8(ascii: " "), count: 20_000), 413),
                    ([("X-Long", String(repeating: "x", count: 9_000))], [], 431),
                ] {
                    let answer = try await client.request(.POST, path, headers: headers, body: body)
                    #expect(answer.status == status, "\(path)")
                    let members = try #require(
                        JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: String])
                    #expect(Set(members.keys) == ["outcome", "detail"] && outcomes.contains(members["outcome"] ?? ""))
                    let content = try member(
                        "paths", path, "post", "responses", "\(status)", "content", "application/json", "schema")
                    #expect("\(content)".contains("/RefusedRequest"), "\(path) \(status)")
                }
            }
        }

        @Test(
            "Schemathesis finds no failure and no answer or member that is not described",
            .enabled(if: TestEnvironment.schemathesis != nil, "make test installs it"), .installation,
            arguments: Listener.allCases)
        func conformance(_ listener: Listener) async throws {
            let (server, _) = try await start()
            let port = try await server.port(of: listener.rawValue)
            // What it keeps between runs would make them differ.
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            var checks = Self.checks
            if listener == .admin { checks += ["negative_data_rejection", "ignored_auth"] }
            let result = try await ChildProcess.run(
                try #require(TestEnvironment.schemathesis),
                [
                    "run", TestEnvironment.root + "docs/openapi.json", "--url", "http://127.0.0.1:\(port)",
                    "--header", "Authorization: Bearer \(Installation.token)", "--checks",
                    checks.joined(separator: ","), "--max-examples", "20", "--seed", "1", "--no-color",
                    "--continue-on-failure",
                ] + listener.paths, folder: folder.path())
            #expect(result.code == 0, "\(String(decoding: result.output, as: UTF8.self))")
            #expect(String(decoding: result.output, as: UTF8.self).contains("generated"))
        }
    }
}
