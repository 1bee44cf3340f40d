import Foundation
import TestSupport
import Testing

extension ServerTests {
    @Suite("The examples of clients that sign over the Unix socket")
    struct SigningClientTests {
        /// A language, and how a program of it is run from its source.
        struct Example: Sendable, CustomTestStringConvertible {
            let language: String
            let program: String
            let arguments: [String]

            var testDescription: String { language }

            /// Where the program that runs it is; nil if the language is not here.
            var path: String? {
                (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
                    .map { "\($0)/\(program)" }
                    .first { FileManager.default.isExecutableFile(atPath: $0) }
            }
        }

        static let examples = [
            Example(language: "Python", program: "python3", arguments: ["sign.py"]),
            Example(language: "Go", program: "go", arguments: ["run", "sign.go"]),
            Example(language: "Java", program: "java", arguments: ["Sign.java"]),
        ]

        @Test(
            "Each signs an impression, and says field and rule if it is refused",
            .installation, arguments: examples.filter { $0.path != nil })
        func sign(_ example: Example) async throws {
            let installation = try Installation.current
            let socket = installation.folder + "/admin.sock"
            let (server, _) = try await installation.start(["ADMIN_SOCKET": socket])
            try await server.listensOnSocket()
            let signed = try await run(
                example, socket,
                """
                {"ad-network-id":"example123.skadnetwork","source-identifier":5239,"itunes-item-id":525463029,
                 "source-app-id":1234567891}
                """)
            #expect(signed.code == 0, "\(String(decoding: signed.errors, as: UTF8.self))")
            let answer = try JSONSerialization.jsonObject(with: signed.output) as? [String: Any]
            #expect((answer?["fidelities"] as? [Any])?.count == 2)
            let refused = try await run(example, socket, "{\"ad-network-id\":\"example123.skadnetwork\"}")
            #expect(refused.code == 1)
            #expect(String(decoding: refused.errors, as: UTF8.self).contains("source-identifier"))
        }

        private func run(
            _ example: Example, _ socket: String, _ impression: String
        ) async throws -> ChildProcess.Result {
            var environment = ProcessInfo.processInfo.environment
            environment["ADMIN_TOKEN"] = Installation.token
            return try await ChildProcess.run(
                try #require(example.path), example.arguments + [socket], environment: environment,
                input: Data(impression.utf8),
                folder: TestEnvironment.root + "examples/clients")
        }
    }
}
