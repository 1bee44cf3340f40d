import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("Roles of the database")
    struct RoleTests {
        /// Names of roles that no other test uses.
        private static func names() -> [String: String] {
            let number = UUID().uuidString.lowercased().replacing("-", with: "")
            return Dictionary(
                uniqueKeysWithValues: ["owner", "serve", "read", "backup"].map { ($0, "\($0)_\(number)") })
        }

        @Test(
            "What `grants` prints is enough to migrate, serve, fold, report, drop days and dump, each as its role",
            .installation(migrated: false))
        func wholeWay() async throws {
            let installation = try Installation.current
            let database = installation.database
            let names = Self.names()
            let options = names.flatMap { ["--\($0.key)", $0.value] }
            let superuser = database
            /// Prints the script and runs it.
            func grant(_ more: [String] = []) async throws {
                let script = try await ServerCommand.run(["grants"] + options + more)
                #expect(script.code == 0, "\(script.errors)")
                try await superuser.run(script.output)
            }
            func url(_ role: String) -> [String: String] { ["DATABASE_URL": database.as(names[role] ?? "").url] }
            do {
                try await grant(["--create-roles"])
                let migrated = try await ServerCommand.run(["migrate"], installation.environment(url("owner")))
                #expect(migrated.code == 0, "\(migrated.errors)")
                let early = try await ServerCommand.run(["fold"], installation.environment(url("serve")))
                #expect(
                    early.code == 78 && early.errors.contains("lacks USAGE on schema attribution"), "\(early.errors)")
                try await grant()
                let again = try await ServerCommand.run(["migrate"], installation.environment(url("serve")))
                #expect(again.code == 78, "\(again.errors)")
                let told =
                    "PostbackServer: schema: only its owner can migrate it, the role \(names["owner"] ?? ""); "
                    + "PostbackServer migrate ran as \(names["serve"] ?? "")"
                let lines = again.errors.split(separator: "\n").map(String.init)
                #expect(lines.filter { $0.hasPrefix("PostbackServer: ") } == [told], "\(again.errors)")
                let bodies = try installation.keys.simulate(seed: 34, count: 40)
                try await installation.withServer(url("serve")) { server, client in
                    for body in bodies { #expect(try await client.post(body).outcome == "accepted") }
                    let admin = try await client.admin(of: server)
                    #expect(try await admin.request(.GET, "/ready").status == 200)
                    let signed = try await admin.request(
                        .POST, "/v1/impressions", headers: Installation.authorization,
                        body: Array(Installation.impression.utf8))
                    #expect(signed.status == 200, "\(signed.text)")
                }
                for command in [
                    ["fold"], ["reprocess"], ["repair-log"], ["recount", "--bodies"], ["report", "campaign_daily"],
                    ["scheme", "list"],
                ] {
                    let result = try await ServerCommand.run(command, installation.environment(url("serve")))
                    #expect(result.code == 0, "\(command): \(result.errors)")
                }
                let reader = database.as(names["read"] ?? "")
                for command in [
                    ["report"], ["report", "install_campaign", "--columns"], ["report", "campaign_daily"],
                    ["mapping", "list"], ["scheme", "list"], ["app-names", "list"],
                ] {
                    let result = try await ServerCommand.run(command, installation.environment(url("read")))
                    #expect(result.code == 0, "\(command): \(result.errors)")
                }
                for command in [["spend", "loads"], ["recount"], ["export", "-"]] {
                    let result = try await ServerCommand.run(command, installation.environment(url("read")))
                    #expect(result.code == 78, "\(command): \(result.errors)")
                    #expect(
                        result.errors.contains(
                            "and use the role of its --serve; that of --read is enough for report, and for what "
                                + "lists or shows names and schemes"),
                        "\(command): \(result.errors)")
                }
                #expect(try await reader.value("SELECT count(*) FROM attribution.postback") == "40")
                #expect(try await reader.value("SELECT count(*) > 0 FROM attribution.report_campaign_all") == "true")
                for view in ["campaign_figure", "source_app_figure", "conversion_value_figure"] {
                    #expect(try await reader.value("SELECT count(*) > 0 FROM attribution.\(view)") == "true", "\(view)")
                }
                try await superuser.moveToday(back: 3)
                let folder = installation.folder + "/archive"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                let today = try #require(
                    try await superuser.value("SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date::text"))
                let archive = try await ServerCommand.run(
                    ["archive", "--before", today, folder], installation.environment(url("serve")))
                #expect(archive.code == 0, "\(archive.errors)")
                #expect(try await superuser.value("SELECT count(*) FROM attribution.postback_body") == "0")
                let dump = try await ChildProcess.run(
                    "/usr/bin/env", ["pg_dump", url("backup")["DATABASE_URL"] ?? "", "--file", folder + "/dump.sql"],
                    environment: ProcessInfo.processInfo.environment)
                #expect(dump.code == 0, "\(String(decoding: dump.errors, as: UTF8.self))")
            } catch {
                Issue.record(error)
            }
            let drops = names.values.map { "DROP OWNED BY \($0) CASCADE; DROP ROLE \($0);" }
            try await superuser.run(drops.joined())
        }

        @Test("A running server that loses a right says which one, in the log and by /ready", .server)
        func lost() async throws {
            let (installation, server, client) = try RunningServer.current
            let admin = try await client.admin(of: server)
            let bodies = try installation.keys.simulate(seed: 35, count: 2)
            #expect(try await client.post(bodies[0]).outcome == "accepted")
            // Postbacks can be stored without this one.
            try await installation.database.run("REVOKE INSERT ON attribution.app_name FROM test_serve")
            #expect(try await admin.request(.GET, "/ready").status == 200)
            try await installation.database.run("REVOKE INSERT ON attribution.postback_log FROM test_serve")
            #expect(try await client.post(bodies[1]).status == 503)
            let answer = try await admin.request(.GET, "/ready")
            #expect(answer.status == 503)
            #expect(
                answer.text.contains("the role test_serve lacks INSERT on attribution.postback_log"), "\(answer.text)")
            try await eventually("the log says it") {
                server.lines.contains { $0.contains("permission denied for table postback_log") } ? true : nil
            }
            try await installation.database.run("GRANT INSERT ON attribution.postback_log TO test_serve")
            try await eventually("the server is ready again") {
                try await admin.request(.GET, "/ready").status == 200 ? true : nil
            }
            #expect(try await client.post(bodies[1]).outcome == "accepted")
        }

        @Test("A command or a start without a right ends with 78, and one line names right and object", .installation)
        func commands() async throws {
            let installation = try Installation.current
            let database = installation.database
            let archive = try installation.write(try installation.keys.simulate(seed: 36, count: 3), to: "some.ndjson")
            try installation.write(
                "app_id,app_name\n525463029,An app\n", to: "names.csv")
            let names = installation.folder + "/names.csv"
            for (right, command) in [
                ("INSERT ON attribution.postback_log", ["serve"]),
                ("EXECUTE ON FUNCTION attribution.add_partition", ["serve"]),
                ("USAGE ON SCHEMA attribution", ["serve"]),
                ("SELECT ON attribution.schema_migration", ["fold"]),
                ("INSERT ON attribution.postback_state", ["import", archive]),
                ("INSERT ON attribution.line", ["import", archive]),
                ("INSERT ON attribution.app_name", ["app-names", "load", names]),
                ("SELECT ON attribution.report_campaign_daily_all", ["report", "campaign_daily"]),
            ] {
                try await database.run("REVOKE \(right) FROM test_serve")
                let result = try await installation.run(command)
                #expect(result.code == 78, "\(right) \(command): \(result.errors)")
                let named = right.replacing(" ON FUNCTION", with: " ON function").replacing(
                    " ON SCHEMA", with: " ON schema"
                )
                .replacing(" ON ", with: " on ")
                let line = result.errors.split(separator: "\n").last { $0.hasPrefix("PostbackServer: ") }
                #expect(
                    line?.contains("the role test_serve lacks \(named)") == true,
                    "\(right) \(command): \(result.errors)")
                try await database.run("GRANT \(right) TO test_serve")
            }
        }
    }
}
