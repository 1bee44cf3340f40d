import Foundation
import TestSupport
import Testing

extension ServerTests {
    @Suite("PostbackServer serve --check-config", .installation)
    struct ConfigurationCheckTests {
        private func check(_ changes: [String: String] = [:]) async throws -> ServerCommand {
            try await Installation.current.run(["serve", "--check-config"], changes)
        }

        @Test("A good configuration ends with 0, beside a server that has the same ports")
        func good() async throws {
            let (_, client) = try await Installation.current.start()
            let checked = try await check(["HTTP_PORT": "\(client.port)"])
            #expect(checked.code == 0, "\(checked)")
            #expect(
                checked.output
                    == "the configuration is good: 2 networks, 8 keys of postbacks, 0 tokens, no TLS, 2 lanes\n",
                "\(checked)")
            let reports = try await check(["REPORTS_DATABASE_URL": try Installation.current.database.url])
            #expect(reports.code == 0 && reports.output.hasSuffix(", a database for reports\n"), "\(reports)")
        }

        @Test("Every wrong setting is named in a line of its own, and no secret is shown")
        func settings() async throws {
            let checked = try await check([
                "HTTP_PORT": "abc", "LOG_LEVEL": "loud", "ADMIN_TOKEN": "hunter2", "INGEST_DEADLINE": "0",
                "DATABASE_URL": "postgresql//hunter2", "TLS_CERTIFICATE_PATH": "/nowhere", "RECEIVED_FROM": "perhaps",
                "CONFIG_FILE": "/nowhere.json", "READER_RETENTION_DAYS": "3", "BODY_RETENTION_DAYS": "0",
                "FORWARDING": "perhaps", "FORWARD_ALLOW_ADDRESSES": "10.0.0.0/99", "DEAD_LETTER_RETENTION_DAYS": "0",
            ])
            #expect(checked.code == 78 && checked.output == "" && !checked.errors.contains("hunter2"), "\(checked)")
            let names = checked.errors.split(separator: "\n").map { line in
                line.split(separator: ":").dropFirst().first?.trimmingCharacters(in: .whitespaces)
            }
            #expect(
                names == [
                    "CONFIG_FILE", "HTTP_PORT", "ADMIN_TOKEN", "RECEIVED_FROM", "TLS_PRIVATE_KEY_PATH",
                    "INGEST_DEADLINE", "BODY_RETENTION_DAYS", "FORWARDING", "FORWARD_ALLOW_ADDRESSES",
                    "DEAD_LETTER_RETENTION_DAYS", "DATABASE_URL", "LOG_LEVEL",
                ], "\(checked.errors)")
            // A start says the same.
            let started = try await Installation.current.run(["serve"], ["HTTP_PORT": "abc", "LOG_LEVEL": "loud"])
            #expect(started.code == 78 && started.errors.split(separator: "\n").count == 2, "\(started)")
        }

        @Test("Each setting of days or hours takes never, and a wrong one says so")
        func never() async throws {
            let names = [
                "BODY_RETENTION_DAYS", "LOG_RETENTION_DAYS", "ADDRESS_RETENTION_DAYS", "READER_RETENTION_DAYS",
                "LOAD_RETENTION_DAYS", "TRAIL_RETENTION_DAYS", "APP_STORE_BODY_RETENTION_DAYS",
                "DEAD_LETTER_RETENTION_DAYS", "RECOUNT_INTERVAL_HOURS",
            ]
            let good = try await check(Dictionary(uniqueKeysWithValues: names.map { ($0, "never") }))
            #expect(good.code == 0, "\(good)")
            let zero = try await check(["APP_STORE_BODY_RETENTION_DAYS": "0"])
            #expect(zero.code == 0, "\(zero)")
            let wrong = try await check(Dictionary(uniqueKeysWithValues: names.map { ($0, "always") }))
            for name in names {
                let line = wrong.errors.split(separator: "\n").first { $0.contains(" \(name): ") }
                #expect(line?.contains(", or never, not \"always\"") == true, "\(name): \(wrong.errors)")
            }
            let mixed = try await check(["READER_RETENTION_DAYS": "3", "LOG_RETENTION_DAYS": "never"])
            #expect(mixed.errors.contains("LOG_RETENTION_DAYS: must be a number of days too"), "\(mixed)")
        }

        @Test("What stands behind the settings is tried: key ring, certificate, both databases and the schema")
        func behind() async throws {
            let installation = try Installation.current
            let nowhere = "postgresql://user:hunter2@127.0.0.1:1/none"
            let checked = try await check([
                "KEYRING_PATH": "/nowhere", "TLS_CERTIFICATE_PATH": "/no.pem", "TLS_PRIVATE_KEY_PATH": "/no.key",
                "DATABASE_URL": nowhere, "REPORTS_DATABASE_URL": nowhere,
            ])
            let lines = checked.errors.split(separator: "\n").filter { $0.hasPrefix("PostbackServer: ") }
            #expect(checked.code == 78 && lines.count == 4 && !checked.errors.contains("hunter2"), "\(checked)")
            let parts = [
                "/nowhere", "TLS: TLS_CERTIFICATE_PATH", "DATABASE_URL: the database", "REPORTS_DATABASE_URL: ",
            ]
            for (line, part) in zip(lines, parts) {
                #expect(line.contains(part), "\(checked.errors)")
            }
            try await installation.database.run("UPDATE attribution.schema_definitions SET checksum = 'x'")
            let schema = try await check()
            #expect(schema.code == 78 && schema.errors.contains("PostbackServer: schema: "), "\(schema)")
        }

        @Test("A right that is missing is told as by a start: no setting is blamed, and no type of ours is named")
        func rights() async throws {
            let installation = try Installation.current
            let database = installation.database
            for (revoked, lacking) in [
                ("USAGE ON SCHEMA attribution", "USAGE on schema attribution"),
                ("SELECT ON attribution.schema_migration", "SELECT on attribution.schema_migration"),
                ("EXECUTE ON FUNCTION attribution.add_partition", "EXECUTE on function attribution.add_partition"),
            ] {
                try await database.run("REVOKE \(revoked) FROM test_serve")
                try await expectMissing(lacking)
                try await database.run("GRANT \(revoked) TO test_serve")
            }
            try await database.run("REVOKE ALL ON ALL TABLES IN SCHEMA attribution FROM test_serve")
            try await expectMissing("SELECT on attribution.schema_migration")
        }

        /// Expects that the check and a start both end with 78 and with one and the same line.
        private func expectMissing(_ right: String) async throws {
            func told(_ result: ServerCommand) -> [Substring] {
                result.errors.split(separator: "\n").filter { $0.hasPrefix("PostbackServer: ") }
            }
            let (checked, started) = (try await check(), try await Installation.current.run(["serve"]))
            #expect(checked.code == 78 && started.code == 78, "\(checked) \(started)")
            #expect(told(checked).count == 1 && told(checked) == told(started), "\(checked) \(started)")
            #expect(
                told(checked).first?.hasPrefix("PostbackServer: database: the role test_serve lacks \(right)") == true,
                "\(checked)")
        }

        @Test("A CONFIG_FILE that is missing, empty or not JSON is refused with the path, and the line if there is one")
        func configFile() async throws {
            let installation = try Installation.current
            let file = installation.folder + "/settings.json"
            let cases: [(value: String, text: String?, expected: String)] = [
                ("/nope.json", nil, "/nope.json can't be read: No such file or directory"),
                ("", nil, "is empty; name a file, or remove the setting"),
                (file, "{\n\"http\": }", "\(file): line 2: not valid JSON"),
                (file, "", "\(file): line 1: "),
                (file, "{\"admin\": {\"names\": [\"a\", 1]}}", "\(file): each value must be a string or a number"),
            ]
            for (value, text, expected) in cases {
                if let text { try installation.write(text, to: "settings.json") }
                let refused = try await check(["CONFIG_FILE": value])
                #expect(
                    refused.code == 78 && refused.errors.hasPrefix("PostbackServer: CONFIG_FILE: \(expected)"),
                    "\(refused)")
                #expect(refused.errors.split(separator: "\n").count == 1, "\(refused)")
            }
        }

        @Test("A name that is no setting is refused in .env and in the file, and warned of in the environment")
        func names() async throws {
            let installation = try Installation.current
            try installation.write("HTTP_PROT=80\n", to: ".env")
            try installation.write("{\"admin\": {\"prot\": 81}}", to: "settings.json")
            let program = try #require(TestEnvironment.programs) + "/PostbackServer"
            func run(_ changes: [String: String]) async throws -> (code: Int32, errors: String) {
                let result = try await ChildProcess.run(
                    program, ["serve", "--check-config"],
                    environment: installation.environment(changes).merging(["PATH": "/usr/bin:/bin"]) { $1 },
                    folder: installation.folder)
                return (result.code, String(decoding: result.errors, as: UTF8.self))
            }
            let file = installation.folder + "/settings.json"
            let refused = try await run(["CONFIG_FILE": file])
            #expect(refused.code == 78)
            #expect(
                refused.errors == """
                    PostbackServer: .env: line 1: HTTP_PROT is no setting; is HTTP_PORT meant?
                    PostbackServer: CONFIG_FILE: \(file): line 1: admin.prot is no setting; is admin.port meant?

                    """)
            try installation.write("HTTP_HOST=127.0.0.1\n", to: ".env")
            let warned = try await run(["ADMIN_PROT": "80"])
            #expect(warned.code == 0 && warned.errors.contains("ADMIN_PROT is no setting; is ADMIN_PORT meant?"))
            #expect(warned.errors.contains("\"warning\""), "\(warned.errors)")
        }
    }
}
