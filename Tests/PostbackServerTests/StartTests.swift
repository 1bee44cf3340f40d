import AdAttribution
import Foundation
import TestSupport
import Testing

extension ServerTests {
    @Suite("Starting")
    struct StartTests {
        /// Runs a start that must fail, and returns its exit code and its one line.
        private func fail(
            _ environment: [String: String], _ arguments: [String] = ["serve"]
        ) async throws -> (code: Int32, line: String) {
            let server = try ServerProcess(arguments, environment: environment)
            let code = try await server.exitCode()
            let line = try await eventually("it says why") { server.lines.last { $0.hasPrefix("PostbackServer: ") } }
            return (code, line)
        }

        @Test(
            "If a migration fails, migrate names the file, the line and what PostgreSQL says",
            .installation(migrated: false))
        func migration() async throws {
            let installation = try Installation.current
            try await installation.database.owner.run(
                "CREATE SCHEMA attribution; CREATE TABLE attribution.network (another integer)")
            let file = String(decoding: try TestEnvironment.file("migrations/0001_dimensions.sql"), as: UTF8.self)
            let lines = file.split(separator: "\n", omittingEmptySubsequences: false)
            let place = try #require(lines.firstIndex { $0.hasPrefix("CREATE TABLE attribution.network ") })
            let result = try await installation.run(["migrate"])
            #expect(result.code == 69)
            for part in [
                "PostbackServer: database: relation \"network\" already exists", "SQLSTATE 42P07",
                "statement 0001_dimensions.sql, line \(place + 1))",
            ] {
                #expect(result.errors.contains(part), "\(result.errors)")
            }
        }

        @Test("A wrong setting stops the start with one line that names the setting and shows no secret", .installation)
        func settings() async throws {
            let installation = try Installation.current
            for (name, value) in [
                ("HTTP_PORT", "abc"), ("HTTP_PORT", "65536"), ("ADMIN_PORT", "-1"), ("CONVERSION_POLICY", "last"),
                ("LOG_LEVEL", "loud"), ("LOG_FORMAT", "xml"), ("INGEST_BATCH_SIZE", "0"), ("DATABASE_URL", ""),
                ("CONFIG_FILE", "/nowhere.json"), ("BODY_RETENTION_DAYS", "0"), ("LOG_RETENTION_DAYS", "a week"),
                ("ADDRESS_RETENTION_DAYS", "-1"), ("READER_RETENTION_DAYS", "36501"),
                ("LOAD_RETENTION_DAYS", "0"), ("APP_STORE_BODY_RETENTION_DAYS", "-1"),
                ("APP_STORE_BODY_BYTES", "1048575"), ("APPLE_ADS", "yes"),
                ("APPLE_ADS_URL", "https://api-adservices.apple.com"), ("APPLE_ADS_URL", "http://127.0.0.2:80"),
                ("ADMIN_SOCKET", ""), ("ADMIN_SOCKET", String(repeating: "s", count: 108)),
                ("REPORTS_DATABASE_URL", ""), ("REPORTS_DATABASE_URL", "postgresql//hunter2"),
                ("WORKER_ADDRESSES", "worker-1.example:5432=10.0.0.1"), ("ADMIN_TOKEN", "hunter2"),
                ("ADMIN_TOKEN", "hunter2" + String(repeating: "x", count: 24)),
                ("ADMIN_TOKEN", "hunter2" + String(repeating: "x", count: 250)),
                ("ADMIN_TOKEN", String(repeating: " ", count: 40)),
                ("ADMIN_TOKEN", "hunter2 " + String(repeating: "x", count: 40)),
                ("ADMIN_TOKEN", "hunter2é" + String(repeating: "x", count: 40)),
            ] {
                let (code, line) = try await fail(installation.environment([name: value]))
                #expect(code == 78)
                #expect(line.contains(name) && !line.contains("hunter2"), "\(line)")
                #expect(name != "ADMIN_TOKEN" || line.contains("32 to 256 characters"), "\(line)")
            }
            for (name, changes) in [
                ("RECEIVED_FROM", ["RECEIVED_FROM": "yes"]),
                ("TRUSTED_PROXIES", ["FORWARDED_HEADER": "X-Forwarded-For"]),
                ("FORWARDED_HEADER", ["TRUSTED_PROXIES": "10.0.0.0/8"]),
                ("FORWARDED_HEADER", ["FORWARDED_HEADER": "X Forwarded", "TRUSTED_PROXIES": "10.0.0.0/8"]),
                ("TRUSTED_PROXIES", ["FORWARDED_HEADER": "Forwarded", "TRUSTED_PROXIES": "10.0.0.0/33"]),
                ("TRUSTED_PROXIES", ["FORWARDED_HEADER": "Forwarded", "TRUSTED_PROXIES": "proxy.example"]),
                ("TRUSTED_PROXIES", ["RECEIVED_FROM": "off", "FORWARDED_HEADER": "Forwarded"]),
                ("LOG_RETENTION_DAYS", ["READER_RETENTION_DAYS": "30", "ADDRESS_RETENTION_DAYS": "3"]),
            ] {
                let (code, line) = try await fail(installation.environment(changes))
                #expect(code == 78)
                #expect(line.contains("\(name): "), "\(line)")
            }
            let secret = "postgresql://user:hunter2@127.0.0.1:1/none"
            let (code, line) = try await fail(installation.environment(["DATABASE_URL": secret]))
            #expect(code == 69)
            #expect(line.contains("database") && !line.contains("hunter2"))
            for broken in [
                "postgresql//hunter2", "=hunter2", "postgresql://u:hunter2@127.0.0.1:port/x",
                "postgresql://u:hunter2@127.0.0.1/x?sslmode=sometimes",
                "postgresql://u:hunter2@127.0.0.1:1,127.0.0.1:2,127.0.0.1/x?hostaddr=127.0.0.1",
            ] {
                let (code, line) = try await fail(installation.environment(["DATABASE_URL": broken]))
                #expect(code == 78, "\(broken): \(line)")
                #expect(line.contains("DATABASE_URL") && !line.contains("hunter2"), "\(line)")
            }
            let option = try await fail(installation.environment(), ["serve", "--http-prot", "1"])
            #expect(option.code == 64)
            #expect(option.line.contains("--http-port"), "\(option.line)")
            let command = try await fail(installation.environment(), ["sevre"])
            #expect(command.code == 64)
            #expect(
                command.line.contains("serve, migrate, grants, distribute, undistribute, reprocess, import,"),
                "\(command.line)")
        }

        @Test("The start says where the source address of deliveries is taken from", .installation)
        func receivedFrom() async throws {
            let proxies = ["FORWARDED_HEADER": "X-Real-IP", "TRUSTED_PROXIES": "10.0.0.0/8, ::1, unix:"]
            let installation = try Installation.current
            for (changes, expected) in [
                ([:], "connection"), (["RECEIVED_FROM": "on"], "connection"), (["RECEIVED_FROM": "off"], "off"),
                (proxies, "X-Real-IP"), (proxies.merging(["RECEIVED_FROM": "off"]) { $1 }, "off"),
            ] {
                try await installation.withServer(changes) { server, _ in
                    let line = try #require(server.lines.first { $0.contains("\"starting\"") })
                    #expect(line.contains("\"received_from\":\"\(expected)\""), "\(line)")
                }
            }
        }

        @Test("A key ring that can't be used stops the start", .installation)
        func keyRing() async throws {
            let installation = try Installation.current
            func check(_ keyRing: String, _ expected: String) async throws {
                try installation.write(keyRing, to: "keyring.json")
                let (code, line) = try await fail(installation.environment())
                #expect(code == 78)
                #expect(line.contains(expected), "\(line)")
            }
            let good = Installation.keyRing
            try await check("{", "keyring.json")
            try await check(good.replacing("\"developer-apps\"", with: "\"developerapps\""), "developerapps")
            try await check(good.replacing("network.pem", with: "nowhere.pem"), "networks[1].private-key")
            try await check(good.replacing("com.example", with: "com_example"), "networks[0].ad-network-id")
            try await check(good.replacing("com.example", with: "EXAMPLE123.adattributionkit"), "networks")
            try await check(good.replacing("\"load-test\"", with: "\"apple-test\""), "postback-keys[0].name")
            try await check(good.replacing("\"test\"", with: "\"production\""), "postback-keys[0].environment")
            try await check(good.replacing("test.pub.pem", with: "network.pem"), "postback-keys[0].public-key")
            try installation.write(good, to: "keyring.json")
            try installation.write(installation.networkKey.pem, to: "network.pem", mode: 0o644)
            let (code, line) = try await fail(installation.environment())
            #expect(code == 78)
            #expect(line.contains("0600") && !line.contains("PRIVATE KEY"))
            #expect(try await fail(installation.environment(["KEYRING_PATH": "/nowhere"])).code == 78)
        }

        @Test(
            "A schema that is behind or unknown stops the start; `migrate` corrects the first",
            .installation(migrated: false))
        func schema() async throws {
            let installation = try Installation.current
            let behind = try await fail(installation.environment())
            #expect(behind.code == 78)
            #expect(behind.line.contains("migrate"))
            #expect(try await installation.run(["migrate"]).code == 0)
            try await installation.withServer { _, client in
                let answer = try await client.post(TestKeys.apple())
                #expect(answer.outcome == "accepted")
            }
            try await installation.database.run(
                "INSERT INTO attribution.schema_migration (number, name, checksum) VALUES (99, '0099_later', '')")
            let unknown = try await fail(installation.environment())
            #expect(unknown.code == 78)
            #expect(unknown.line.contains("0099_later"))
            try await installation.database.run(
                "UPDATE attribution.schema_definitions SET revision = revision + 1, version = '9.8.7'")
            for arguments in [["serve"], ["migrate"], ["reprocess"]] {
                let older = try await fail(installation.environment(of: arguments), arguments)
                #expect(older.code == 78, "\(arguments)")
                #expect(older.line.contains("needs version 9.8.7 or a later one"), "\(older.line)")
            }
        }

        @Test(
            "`migrate` works from an empty folder, and has nothing to do the second time",
            .installation(migrated: false))
        func emptyFolder() async throws {
            let installation = try Installation.current
            let folder = installation.folder + "/empty"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            // Of the settings it needs the database only. The program is run from a folder of its own too.
            let program = folder + "/PostbackServer"
            let programs = try #require(TestEnvironment.programs)
            try FileManager.default.copyItem(atPath: programs + "/PostbackServer", toPath: program)
            let settings = ["DATABASE_URL": installation.database.owner.url]
            for expected in ["applied 0001_dimensions, ", "schema is up to date"] {
                let result = try await ChildProcess.run(
                    program, ["migrate"], environment: settings.merging(["PATH": "/usr/bin:/bin"]) { $1 },
                    folder: folder)
                #expect(result.code == 0, "\(String(decoding: result.errors, as: UTF8.self))")
                #expect(String(decoding: result.output, as: UTF8.self).hasPrefix(expected))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["PostbackServer"])
            try await installation.database.grantRights()
            let (_, client) = try await installation.start()
            let answer = try await client.post(TestKeys.apple())
            #expect(answer.outcome == "accepted")
        }

        @Test("`migrate --lanes N` chooses the number of lanes once", .installation(migrated: false))
        func lanes() async throws {
            let installation = try Installation.current
            let environment = installation.environment(of: ["migrate"])
            for wrong in [["--lanes"], ["--lanes", "0"], ["--lanes", "1025"], ["--lanes", "two"]] {
                #expect(try await fail(environment, ["migrate"] + wrong).code == 64)
            }
            #expect(try await fail(environment, ["serve", "--lanes", "2"]).code == 64)
            for lanes in ["3", "3", nil] {
                let arguments = ["migrate"] + (lanes.map { ["--lanes", $0] } ?? [])
                #expect(try await ServerProcess(arguments, environment: environment).exitCode() == 0)
            }
            let other = try await fail(environment, ["migrate", "--lanes", "2"])
            #expect(other.code == 78)
            #expect(other.line.contains("3 lanes"), "\(other.line)")
            let database = installation.database
            try await database.grantRights()
            let stored = "SELECT concat_ws(' ', lane, first_hash, last_hash) FROM attribution.lane ORDER BY lane"
            #expect(
                try await database.column(stored) == [
                    "0 0 1431655764", "1 1431655765 2863311529", "2 2863311530 4294967295",
                ])
            try await installation.withServer { _, client in
                for body in try installation.keys.simulate(seed: 6, count: 60) {
                    #expect(try await client.post(body).outcome == "accepted")
                }
            }
            #expect(
                try await database.column("SELECT DISTINCT lane FROM attribution.postback_state ORDER BY 1")
                    == ["0", "1", "2"])
            #expect(try await database.recounts() == [])
        }

        @Test("A schema from before 0.2 is refused by every command and not changed", .installation(migrated: false))
        func schemaBeforeLog() async throws {
            let installation = try Installation.current
            let database = installation.database
            try await database.owner.run(
                """
                CREATE SCHEMA attribution;
                GRANT USAGE ON SCHEMA attribution TO PUBLIC;
                CREATE TABLE attribution.schema_migration (
                    number     integer PRIMARY KEY,
                    name       text NOT NULL,
                    checksum   text NOT NULL,
                    applied_at timestamptz NOT NULL DEFAULT now()
                );
                INSERT INTO attribution.schema_migration (number, name, checksum)
                VALUES (1, '0001_postback', 'x'), (2, '0002_report', 'y');
                GRANT SELECT ON attribution.schema_migration TO PUBLIC;
                CREATE TABLE attribution.postback (payload json NOT NULL);
                INSERT INTO attribution.postback (payload) VALUES ('{}');
                """)
            try installation.write("", to: "empty.ndjson")
            let archive = installation.folder + "/empty.ndjson"
            for arguments in [
                ["migrate"], ["migrate", "--lanes", "2"], ["serve"], ["reprocess"], ["import", archive],
            ] {
                let (code, line) = try await fail(installation.environment(of: arguments), arguments)
                #expect(code == 78, "\(arguments)")
                #expect(line.contains("before 0.2") && line.contains("new database"), "\(line)")
            }
            #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "1")
            #expect(
                try await database.column(
                    """
                    SELECT tablename FROM pg_tables WHERE schemaname = 'attribution' ORDER BY 1
                    """) == ["postback", "schema_migration"])
        }

        @Test(
            "A place where the server can't listen stops the start with one line: the setting, the place, what to do",
            .server)
        func takenPort() async throws {
            let (installation, server, client) = try RunningServer.current
            let admin = try await server.port(of: "admin")
            for (changes, expected) in [
                (
                    ["HTTP_PORT": "\(client.port)"],
                    "HTTP_PORT: another program listens at 127.0.0.1:\(client.port); end it, or choose another port"
                ),
                (
                    ["ADMIN_PORT": "\(admin)"],
                    "ADMIN_PORT: another program listens at 127.0.0.1:\(admin); end it, or choose another port"
                ),
                (
                    ["HTTP_HOST": "192.0.2.1"],
                    "HTTP_HOST: 192.0.2.1:0: this machine does not have that address; choose one of its own, or "
                        + "0.0.0.0 for all"
                ),
                (
                    ["ADMIN_HOST": "nowhere.invalid", "ADMIN_ALLOW_PLAINTEXT": "on"],
                    "ADMIN_HOST: nowhere.invalid:0: there is no address for that name"
                ),
                (
                    ["ADMIN_SOCKET": "/nowhere/socket"],
                    "ADMIN_SOCKET: /nowhere/socket: No such file or directory; choose another path"
                ),
            ] {
                let second = try ServerProcess(environment: installation.environment(changes))
                #expect(try await second.exitCode() == 69)
                #expect(second.lines == ["PostbackServer: \(expected)"])
            }
            // The first server was not disturbed.
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
        }

        @Test("Two listeners at one place are a wrong configuration, whoever else listens there", .installation)
        func samePlace() async throws {
            let installation = try Installation.current
            // A port that was free a moment ago.
            let port = try await installation.withServer { _, client in client.port }
            for arguments in [["serve"], ["serve", "--check-config"]] {
                for hosts in [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1")] {
                    let result = try await installation.run(
                        arguments,
                        [
                            "HTTP_PORT": "\(port)", "ADMIN_PORT": "\(port)", "HTTP_HOST": hosts.0,
                            "ADMIN_HOST": hosts.1,
                        ])
                    #expect(result.code == 78, "\(result.errors)")
                    #expect(
                        result.errors.contains(
                            "ADMIN_PORT: must not be \(port), which is HTTP_PORT, on the same host"), "\(result.errors)"
                    )
                }
            }
            // Two addresses have a port each.
            let apart = ["HTTP_PORT": "\(port)", "ADMIN_PORT": "\(port)", "ADMIN_HOST": "127.0.0.2"]
            let good = try await installation.run(["serve", "--check-config"], apart)
            #expect(good.code == 0, "\(good.errors)")
        }

        @Test("Without a command the program shows its help and serves nothing")
        func noCommand() async throws {
            let help = try await ServerCommand.run([])
            #expect(help.code == 0 && help.errors == "")
            #expect(help.output.contains("USAGE: PostbackServer <subcommand>") && help.output.contains("serve"))
            // Settings are those of a command.
            let option = try await ServerCommand.run(["--http-port", "0"])
            #expect(option.code == 64 && option.errors.contains("--http-port"), "\(option.errors)")
        }

        @Test("`--version` and `version` print the version, and the day of the Public Suffix List")
        func version() async throws {
            let day = String(decoding: try TestEnvironment.file("public-suffix-list/date"), as: UTF8.self)
            for arguments in [["--version"], ["version"]] {
                let version = try await ServerCommand.run(arguments)
                #expect(version.code == 0 && version.errors == "")
                #expect(version.output == "PostbackServer 0.2.0\nPublic Suffix List of \(day)")
            }
        }

        @Test("An option overrides the environment, that .env, that the file, and that the default", .installation)
        func precedence() async throws {
            let installation = try Installation.current
            try installation.write("HTTP_HOST=127.0.0.4\nADMIN_HOST=127.0.0.4\n", to: ".env")
            try installation.write(
                #"{"http": {"host": "127.0.0.5"}, "admin": {"host": "127.0.0.5"}, "log": {"level": "debug"}}"#,
                to: "settings.json")
            func hosts(_ arguments: [String], _ changes: [String: String]) async throws -> [String] {
                let environment = installation.environment(
                    changes.merging(["CONFIG_FILE": installation.folder + "/settings.json"]) { mine, _ in mine })
                let server = try ServerProcess(
                    ["serve"] + arguments, environment: environment, folder: installation.folder)
                for listener in ["postbacks", "admin"] { _ = try await server.port(of: listener) }
                let lines = server.lines.filter { $0.contains("\"listening\"") }.sorted()
                try await server.kill()
                return lines.compactMap { line in
                    line.firstRange(of: "\"host\":\"").map { String(line[$0.upperBound...].prefix(9)) }
                }.sorted()
            }
            #expect(try await hosts([], [:]) == ["127.0.0.4", "127.0.0.4"])
            #expect(try await hosts([], ["HTTP_HOST": "127.0.0.3"]) == ["127.0.0.3", "127.0.0.4"])
            let both = try await hosts(["--http-host", "127.0.0.2"], ["HTTP_HOST": "127.0.0.3"])
            #expect(both == ["127.0.0.2", "127.0.0.4"])
            try installation.write("", to: ".env")
            #expect(try await hosts([], [:]) == ["127.0.0.5", "127.0.0.5"])
        }
    }
}
