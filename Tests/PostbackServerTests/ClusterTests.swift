import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite(
        "PostbackServer on a Citus cluster", .enabled(if: TestEnvironment.hasCluster, TestEnvironment.clusterReason))
    struct ClusterTests {
        @Test("distribute says what it does, is refused while a server runs, and servers then count as before")
        func commands() async throws {
            try await TestDatabase.$isDistributed.withValue(true) {
                try await Installation.with(migrated: false) { installation in
                    try await installation.database.prepare(lanes: 2)
                    let bodies = try installation.keys.simulate(seed: 31, count: 400)
                    try await installation.withServer { _, client in
                        #expect(await client.stream(Array(bodies[..<200]), clients: 8).allSatisfy { $0?.status == 200 })
                        let refused = try await installation.run(["distribute"])
                        #expect(refused.code == 78 && refused.errors.contains("stop them first"), "\(refused)")
                    }
                    let dry = try await installation.run(["distribute", "--dry-run"])
                    let stored =
                        try await installation.database.value("SELECT count(*) FROM attribution.postback") ?? ""
                    #expect(dry.code == 0, "\(dry)")
                    #expect(dry.output.contains("lanes: 2 will be closed, \(stored) postbacks move to 16 new ones"))
                    #expect(try await installation.database.value("SELECT attribution.is_distributed()") == "false")
                    let done = try await installation.run(["distribute"])
                    #expect(done.code == 0 && done.output.hasSuffix("recount: all figures are right\n"), "\(done)")
                    await installation.database.closeSession()

                    let archive = try installation.write(bodies, to: "a.ndjson")
                    try await installation.withServer { server, client in
                        #expect(await client.stream(bodies, clients: 8).allSatisfy { $0?.status == 200 })
                        let imported = try await installation.run(["import", archive])
                        #expect(imported.output.hasPrefix("imported: 0 accepted, 0 raised"), "\(imported)")
                        server.terminate()
                        #expect(try await server.exitCode() == 0)
                    }
                    #expect(try await installation.database.value("SELECT count(*) FROM attribution.postback") == "400")
                    for command in [["fold"], ["report", "campaign"], ["undistribute"], ["distribute"]] {
                        let result = try await installation.run(command)
                        #expect(result.code == 0 && result.errors.isEmpty, "\(command) \(result)")
                    }
                    await installation.database.closeSession()
                    let smaller = try await installation.run(["distribute", "--lanes", "6", "--dry-run"])
                    #expect(smaller.output.contains("lanes: 16 will be closed, 400 postbacks move to 6 new ones"))
                    #expect(try await installation.database.recount() == [])
                    let python = try await installation.database.recountInPython()
                    #expect(python.code == 0, "\(python.text)")
                }
            }
        }

        @Test(
            "If figures are wrong, distribute and undistribute say so and do not end with 0; what they change is right")
        func differences() async throws {
            try await TestDatabase.$isDistributed.withValue(true) {
                try await Installation.with { installation in
                    let bodies = try installation.keys.simulate(seed: 32, count: 60)
                    try await installation.withServer { server, client in
                        #expect(await client.stream(bodies, clients: 8).allSatisfy { $0?.status == 200 })
                        server.terminate()
                        let code = try await server.exitCode()
                        #expect(code == 0)
                    }
                    #expect(try await installation.run(["fold"]).code == 0)
                    try await installation.database.run(
                        "UPDATE attribution.campaign_daily SET installs = coalesce(installs, 0) + 1")
                    let rows = try await installation.database.value("SELECT count(*) FROM attribution.recount") ?? ""
                    for command in [["undistribute"], ["distribute", "--lanes", "2"]] {
                        let result = try await installation.run(command)
                        #expect(result.code == 65, "\(command) \(result)")
                        #expect(result.errors.contains("done; but \(rows) rows of figures differ"), "\(result.errors)")
                    }
                    #expect(try await installation.database.value("SELECT attribution.is_distributed()") == "true")

                    // Something that makes figures wrong while the lanes are changed.
                    try await installation.database.run(
                        """
                        SET citus.enable_ddl_propagation = off;
                        CREATE FUNCTION attribution.spoil() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN
                            UPDATE attribution.campaign_daily SET installs = coalesce(installs, 0) + 1;
                            RETURN NULL;
                        END $$;
                        CREATE TRIGGER spoil AFTER INSERT ON attribution.lane EXECUTE FUNCTION attribution.spoil()
                        """)
                    let before = try await installation.database.column(
                        "SELECT lane::text FROM attribution.lane ORDER BY 1")
                    let spoilt = try await installation.run(["distribute", "--lanes", "5"])
                    #expect(spoilt.code == 70 && spoilt.errors.contains("nothing was changed"), "\(spoilt)")
                    #expect(
                        try await installation.database.column("SELECT lane::text FROM attribution.lane ORDER BY 1")
                            == before)
                    #expect(try await installation.database.value("SELECT attribution.is_distributed()") == "true")
                }
            }
        }

        @Test("No statement of a server is refused because a worker lacks a name, or because Citus can't plan it")
        func refusedStatements() async throws {
            try await TestDatabase.$isDistributed.withValue(true) {
                try await Installation.with { installation in
                    let database = installation.database
                    let bodies = try installation.keys.simulate(seed: 33, count: 200)
                    let retention = [
                        "BODY_RETENTION_DAYS": "30", "LOG_RETENTION_DAYS": "60", "ADDRESS_RETENTION_DAYS": "10",
                        "READER_RETENTION_DAYS": "50",
                    ]
                    let text = """
                        {"app-id": 525463029, "name": "a", "valid-from": "2020-01-01T00:00:00Z", "valid-to": null,
                         "fine": [{"value": 0, "events": []}]}
                        """
                    let scheme = try installation.write([Array(text.utf8)], to: "scheme.json")
                    let loaded = try await installation.run(["scheme", "load", scheme])
                    #expect(loaded.code == 0, "\(loaded)")
                    try await installation.withServer(retention) { server, client in
                        // All work at intervals begins at once. What follows a fold has ended when the next one has.
                        for part in [bodies[..<100], bodies[100...]] {
                            #expect(await client.stream(Array(part), clients: 8).allSatisfy { $0?.status == 200 })
                            try await eventually("answers are folded") {
                                try await database.value("SELECT attribution.answers_up_to() = now()") == "true"
                                    ? true : nil
                            }
                        }
                        let admin = try await client.admin(of: server)
                        let list = try await admin.request(.GET, "/v1/reports", headers: Installation.authorization)
                            .text
                        let object = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [String: Any]
                        let reports = try #require(object?["reports"] as? [[String: Any]])
                        let names = reports.compactMap { $0["name"] as? String }
                        #expect(names.count > 40)
                        for path in names.map({ "/v1/reports/\($0)?format=csv" }) + ["/v1/events"] {
                            let answer = try await admin.request(.GET, path, headers: Installation.authorization)
                            #expect(answer.status == 200, "\(path) \(answer.text)")
                        }
                        try await PageClient.with(port: try await server.port(of: "admin")) { page in
                            try await page.signIn()
                            for path in [
                                "/", "/campaigns", "/windows", "/values", "/copies", "/refused", "/spend", "/live",
                                "/schemes", "/mapping", "/system",
                            ] {
                                #expect(try await page.get(path).status == 200, "\(path)")
                            }
                            #expect(try await page.get("/live").text.contains("<td>accepted</td>"))
                        }
                        let schemes = try await installation.run(["scheme", "list"])
                        #expect(schemes.code == 0 && schemes.output.contains("in use"), "\(schemes)")
                        let undone = try await installation.run(["scheme", "undo"])
                        #expect(undone.code == 65 && undone.errors.contains("is in use"), "\(undone)")
                        server.terminate()
                        #expect(try await server.exitCode() == 0)
                        #expect(
                            server.lines.filter { $0.contains("sqlState: 42") || $0.contains("sqlState: 0A") } == [])
                    }
                    #expect(try await CitusCluster.refusedStatements(in: database) == [])
                }
            }
        }
    }
}
