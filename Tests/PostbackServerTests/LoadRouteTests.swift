import AdAttribution
import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Schemes, names and cost by HTTP", .installation)
    struct LoadRouteTests {
        private static let header = "day,ad_network_id,advertised_app_id,campaign_id,currency,spend\n"
        private static let day = "2026-09-01,example123.skadnetwork,525463029,"
        private static let mappingHeader = "ad_network_id,campaign_type,identifier,campaign_id\n"

        /// A program with a token of its own.
        private struct Loader {
            let admin: PostbackClient
            let token: String

            func send(
                _ method: HTTPMethod, _ path: String, _ body: String? = nil
            ) async throws -> PostbackClient.Answer {
                try await admin.request(
                    method, path, headers: [("Authorization", "Bearer \(token)")], body: body.map { Array($0.utf8) })
            }

            /// What an answer that is no error says.
            func object(
                _ method: HTTPMethod, _ path: String, _ body: String? = nil,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws -> [String: Any] {
                let answer = try await send(method, path, body)
                #expect(answer.status == 200, "\(path): \(answer.text)", sourceLocation: sourceLocation)
                return try object(of: answer)
            }

            func object(of answer: PostbackClient.Answer) throws -> [String: Any] {
                try #require(try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any])
            }

            /// Loads a file by the confirmation of a dry run.
            func confirmed(_ path: String, _ body: String) async throws -> [String: Any] {
                let join = path.contains("?") ? "&" : "?"
                let dry = try await object(.POST, "\(path)\(join)dry_run=true", body)
                #expect(dry["result"] as? String == "dry_run" && dry["load"] is NSNull, "\(dry)")
                let confirmation = try #require(dry["confirmation"] as? String)
                let done = try await object(.POST, "\(path)\(join)confirmation=\(confirmation)", body)
                #expect(done["result"] as? String == "stored" && done["confirmation"] is NSNull, "\(done)")
                return done
            }
        }

        private func start() async throws -> (Installation, Loader) {
            let installation = try Installation.current
            let token = try await installation.succeed(["token", "add", "ann", "--scope", "read", "--scope", "load"])
            let (server, client) = try await installation.start()
            return (
                installation,
                Loader(
                    admin: try await client.admin(of: server),
                    token: token.trimmingCharacters(in: .whitespacesAndNewlines))
            )
        }

        /// All rows that operators load, and the loads.
        private func state(_ installation: Installation) async throws -> [String?] {
            try await installation.database.column(
                """
                SELECT s::text FROM attribution.spend_daily AS s
                UNION ALL SELECT r::text FROM attribution.currency_rate AS r
                UNION ALL SELECT m::text FROM attribution.campaign_mapping AS m WHERE NOT is_built_in
                UNION ALL SELECT a::text FROM attribution.app_name AS a
                UNION ALL SELECT c::text FROM attribution.conversion_scheme AS c
                UNION ALL SELECT l.load::text FROM attribution.load AS l ORDER BY 1
                """)
        }

        private func counts(_ object: [String: Any]) -> [Int?] {
            ["added", "changed", "unchanged", "removed"].map { object[$0] as? Int }
        }

        private func number(_ object: [String: Any]) throws -> Int { try #require(object["load"] as? Int) }

        @Test(
            "Cost that would lose rows is loaded only with the confirmation of a dry run, and is taken back; the trail names the token"
        )
        func spend() async throws {
            let (installation, ann) = try await start()
            let first = Self.header + Self.day + "1001,USD,12.50\n" + Self.day + "1002,USD,3\n"
            let dry = try await ann.object(.POST, "/v1/spend?dry_run=true", first)
            #expect(counts(dry) == [2, 0, 0, 0] && (dry["rows"] as? [Any])?.count == 2, "\(dry)")
            #expect(try await state(installation) == [])
            let loaded = try await ann.object(.POST, "/v1/spend?name=day.csv", first)
            #expect(loaded["result"] as? String == "stored" && counts(loaded) == [2, 0, 0, 0], "\(loaded)")
            try await installation.database.expect(
                "SELECT campaign_id, spend, source_file FROM attribution.spend_daily",
                """
                campaign_id  spend      source_file
                1001         12.500000  day.csv
                1002         3.000000   day.csv
                """)
            let before = try await state(installation)
            let again = try await ann.object(.POST, "/v1/spend", first)
            #expect(again["result"] as? String == "unchanged" && again["load"] is NSNull, "\(again)")

            let second = Self.header + Self.day + "1001,USD,20\n" + Self.day + "1003,EUR,7\n"
            let refused = try await ann.send(.POST, "/v1/spend", second)
            #expect(refused.status == 409, "\(refused.text)")
            let problem = try ann.object(of: refused)
            #expect(problem["type"] as? String == "/errors/conflict" && problem["field"] as? String == "confirmation")
            #expect(
                (problem["rule"] as? String)?.contains("1 stored rows would be changed and 1 removed") == true,
                "\(problem)")
            #expect(try await state(installation) == before)

            let shown = try await ann.object(.POST, "/v1/spend?dry_run=true", second)
            #expect(counts(shown) == [1, 1, 0, 1] && shown["lost_cost_count"] as? Int == 1, "\(shown)")
            let lost = try #require((shown["lost_costs"] as? [[String: Any]])?.first)
            #expect(lost["campaign_id"] as? String == "1002" && lost["spend"] as? String == "3.000000", "\(lost)")
            let rows = try #require(shown["rows"] as? [[String: Any]])
            try #require(rows.map { $0["change"] as? String } == ["removed", "changed", "added"], "\(rows)")
            #expect(rows[1]["before"] as? String == "spend 12.500000")
            #expect(rows[1]["after"] as? String == "spend 20.000000")
            let confirmation = try #require(shown["confirmation"] as? String)
            let done = try await ann.object(.POST, "/v1/spend?confirmation=\(confirmation)", second)
            #expect(done["result"] as? String == "stored" && counts(done) == [1, 1, 0, 1], "\(done)")
            try await installation.database.expect(
                "SELECT campaign_id, currency, spend FROM attribution.spend_daily",
                """
                campaign_id  currency  spend
                1001         USD       20.000000
                1003         EUR       7.000000
                """)
            // What is stored is not what was shown any more.
            let stale = try await ann.send(.POST, "/v1/spend?confirmation=\(confirmation)", second)
            #expect(stale.status == 409 && stale.text.contains("must be that of a new dry run"), "\(stale.text)")

            let list = try #require(
                try await ann.object(.GET, "/v1/loads?kind=spend&limit=2")["loads"] as? [[String: Any]])
            let numbers = [try number(done), try number(loaded)]
            try #require(list.map { $0["load"] as? Int } == numbers, "\(list)")
            #expect(list[0]["loaded_by"] as? String == "token ann" && list[0]["files"] as? String == "sent by HTTP")
            let digest = SHA256.digest(Array(second.utf8)).map { String(format: "%02x", $0) }.joined()
            #expect(list[0]["sha256"] as? String == digest && counts(list[0]) == [1, 1, 0, 1])
            #expect(list.map { $0["can_be_taken_back"] as? Bool } == [true, false])
            let none = try await ann.object(.GET, "/v1/loads?kind=rates")
            #expect((none["loads"] as? [Any])?.isEmpty == true)

            let older = try await ann.send(.DELETE, "/v1/loads/spend/\(numbers[1])")
            #expect(older.status == 409 && older.text.contains("only the last load"), "\(older.text)")
            let back = try await ann.object(.DELETE, "/v1/loads/spend/\(numbers[0])")
            #expect(back["load"] as? Int == numbers[0] && counts(back) == [1, 1, 0, 1], "\(back)")
            try await installation.database.expect(
                "SELECT campaign_id, spend FROM attribution.spend_daily",
                """
                campaign_id  spend
                1001         12.500000
                1002         3.000000
                """)
            let twice = try await ann.send(.DELETE, "/v1/loads/spend/\(numbers[0])")
            #expect(twice.status == 409 && twice.text.contains("taken back already"), "\(twice.text)")
            for path in ["/v1/loads/spend/999999", "/v1/loads/rates/\(numbers[1])"] {
                let unknown = try await ann.send(.DELETE, path)
                #expect(unknown.status == 404 && unknown.text.contains("\"field\":\"load\""), "\(unknown.text)")
            }
            try await installation.database.expect(
                """
                SELECT action, person, origin, counts ->> 'removed' AS removed FROM attribution.trail
                 WHERE action IN ('load', 'take-back') ORDER BY entry
                """,
                """
                action     person     origin     removed
                load       token ann  127.0.0.1  0
                load       token ann  127.0.0.1  1
                take-back  token ann  127.0.0.1  1
                """)
        }

        @Test(
            "A file that would end a row of the mapping needs a confirmation, and a network that nobody knows is named")
        func endings() async throws {
            let (_, ann) = try await start()
            let header = "ad_network_id,campaign_type,identifier,valid_from,campaign_id\n"
            let row = "example123.skadnetwork,source-identifier,39,"
            let first = try await ann.object(.POST, "/v1/mapping", header + row + "2026-01-01,a\n")
            #expect(first["remarks"] as? [String] == [], "\(first)")
            let next = header + row + "2026-11-09,b\n"
            let refused = try await ann.send(.POST, "/v1/mapping", next)
            #expect(
                refused.status == 409 && refused.text.contains("1 stored rows would be changed"), "\(refused.text)")
            let dry = try await ann.object(.POST, "/v1/mapping?dry_run=true", next)
            let rows = try #require(dry["rows"] as? [[String: Any]])
            #expect(rows.first?["change"] as? String == "changed", "\(rows)")
            #expect(rows.first?["before"] as? String == "last day open")
            #expect(rows.first?["after"] as? String == "last day 2026-11-08: another row begins on 2026-11-09")
            let done = try await ann.confirmed("/v1/mapping", next)
            #expect(counts(done) == [1, 1, 0, 0], "\(done)")
            let misspelled = header + "exampel123.skadnetwork,source-identifier,39,,a\n"
            let other = try await ann.object(.POST, "/v1/mapping", misspelled)
            #expect(
                other["remarks"] as? [String] == [
                    "Notice: neither the key ring nor a postback nor spend has the network exampel123. Is it spelled right?"
                ])
        }

        @Test("Names and rates are loaded, replaced and listed, and long lists come whole")
        func names() async throws {
            let (installation, ann) = try await start()
            let network = "example123.skadnetwork,source-identifier,"
            let text = Self.mappingHeader + (1_000..<2_000).map { network + "\($0),c\($0)\n" }.joined()
            let loaded = try await ann.object(.POST, "/v1/mapping", text)
            #expect(counts(loaded) == [1_000, 0, 0, 0])
            let rows = try #require(
                try await ann.object(.GET, "/v1/mapping?ad_network_id=example123.skadnetwork")["rows"]
                    as? [[String: Any]])
            let own = rows.filter { $0["built_in"] as? Bool == false }
            try #require(own.count == 1_000)
            #expect(own[0]["identifier"] as? String == "1000" && own[0]["campaign_id"] as? String == "c1000")
            #expect(own[0]["state"] as? String == "active" && own[0]["campaign_name"] is NSNull, "\(own[0])")
            let one = Self.mappingHeader + network + "99,new\n"
            let refused = try await ann.send(.POST, "/v1/mapping?replace=true", one)
            #expect(refused.status == 409 && refused.text.contains("1000 removed"), "\(refused.text)")
            let replaced = try await ann.confirmed("/v1/mapping?replace=true", one)
            #expect(counts(replaced) == [1, 0, 0, 1_000], "\(replaced)")
            #expect(
                try await installation.database.column(
                    "SELECT campaign_id FROM attribution.campaign_mapping WHERE NOT is_built_in") == ["new"])

            _ = try await ann.object(.POST, "/v1/app-names", "app_id,app_name\n525463029,An app\n7,Other\n")
            // NDJSON is taken too.
            let renamed = try await ann.confirmed(
                "/v1/app-names?replace=true", "{\"app_id\": 525463029, \"app_name\": \"Another <b>\"}\n")
            #expect(counts(renamed) == [0, 1, 0, 1], "\(renamed)")
            let names = try #require(try await ann.object(.GET, "/v1/app-names")["names"] as? [[String: Any]])
            try #require(names.count == 1)
            #expect(names[0]["app_id"] as? Int == 525_463_029)
            #expect(names[0]["app_name"] as? String == "Another <b>")

            let rates = try await ann.object(
                .POST, "/v1/rates", "day,currency,units_per_usd\n2026-09-01,EUR,0.9\n")
            #expect(counts(rates) == [1, 0, 0, 0])
            #expect(
                try await installation.database.column("SELECT round(units_per_usd, 2) FROM attribution.currency_rate")
                    == ["0.90"])
            _ = try await ann.object(.DELETE, "/v1/loads/rates/\(try number(rates))")
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.currency_rate") == "0")
        }

        @Test("A scheme is checked, loaded, got and taken back; one in use can't be, nor edited")
        func schemes() async throws {
            let (installation, ann) = try await start()
            let text = String(decoding: try TestEnvironment.file("examples/scheme.json"), as: UTF8.self)
                .replacing("2026-10-01T00:00:00Z", with: "2020-10-01T00:00:00Z")
            let dry = try await ann.object(.POST, "/v1/schemes?dry_run=true", text)
            #expect((dry["remarks"] as? [String])?.first?.contains("loaded, valid from 2020-10-01") == true, "\(dry)")
            #expect(try await state(installation) == [])
            _ = try await ann.object(.POST, "/v1/schemes", text)
            let list = try #require(try await ann.object(.GET, "/v1/schemes")["schemes"] as? [[String: Any]])
            try #require(list.count == 1, "\(list)")
            #expect(list[0]["advertised_app_id"] as? Int == 525_463_029)
            #expect(list[0]["valid_to"] is NSNull && list[0]["in_use"] as? Bool == false)
            let path = "/v1/schemes/525463029/2020-10-01T00:00:00Z"
            let file = try await ann.send(.GET, path)
            #expect(file.status == 200 && file.headers.first(name: "Content-Type") == "application/json")
            // What is got is the same scheme.
            #expect(try await ann.object(.POST, "/v1/schemes", file.text)["result"] as? String == "unchanged")
            #expect(try await ann.send(.GET, "/v1/schemes/525463029/2020-09-30").status == 404)

            let renamed = text.replacing("2026-Q4 revenue", with: "another name")
            let refused = try await ann.send(.POST, "/v1/schemes", renamed)
            #expect(refused.status == 409 && refused.text.contains("\"field\":\"confirmation\""), "\(refused.text)")
            let edited = try await ann.confirmed("/v1/schemes", renamed)
            #expect(try await ann.object(.GET, path)["name"] as? String == "another name")
            // As in the path that took it.
            _ = try await ann.object(.DELETE, "/v1/loads/schemes/\(try number(edited))")
            #expect(try await ann.object(.GET, path)["name"] as? String == "2026-Q4 revenue")
            let overlapping = text.replacing("2020-10-01T00:00:00Z", with: "2020-09-01T00:00:00Z")
                .replacing("\"valid-to\": null", with: "\"valid-to\": \"2020-11-01T00:00:00Z\"")
            let overlap = try await ann.send(.POST, "/v1/schemes", overlapping)
            #expect(overlap.status == 409 && overlap.text.contains("\"field\":\"valid-from\""), "\(overlap.text)")
            #expect(overlap.text.contains("must not overlap with the stored scheme"), "\(overlap.text)")

            // Apple's postback is of this app.
            let (_, client) = try await installation.start()
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
            let inUse = try await ann.send(.POST, "/v1/schemes", renamed)
            #expect(inUse.status == 409 && inUse.text.contains("in use"), "\(inUse.text)")
            let loads = try #require(
                try await ann.object(.GET, "/v1/loads?kind=scheme")["loads"] as? [[String: Any]])
            try #require(loads.count > 1)
            let same = try await ann.object(.GET, "/v1/loads?kind=schemes")["loads"] as? [[String: Any]]
            #expect(same?.count == loads.count)
            let back = try await ann.send(.DELETE, "/v1/loads/scheme/\(try number(loads[1]))")
            #expect(back.status == 409 && back.text.contains("is in use"), "\(back.text)")
            #expect(try await ann.object(.GET, path)["name"] as? String == "2026-Q4 revenue")
        }

        @Test("Whatever is wrong is refused with the field and the rule, and nothing is stored")
        func wrong() async throws {
            let (installation, ann) = try await start()
            let spend = Self.header + Self.day
            let repeated = "example123.skadnetwork,source-identifier,39,a\n"
            let files: [(path: String, body: String, field: String, rule: String)] = [
                ("/v1/spend", "", "body", "must be a file that is not empty"),
                ("/v1/spend", "day,ad_network_id\n", "advertised_app_id", "line 1: is missing in the header row"),
                ("/v1/spend", "[1, 2]", "header row", "line 1: must have the names"),
                ("/v1/spend", "{\"day\": {}}\n", "day", "line 1: must be a string, a number or null"),
                ("/v1/spend", "{\"day\": \"2026-09-01\"", "body", "line 1: "),
                (
                    "/v1/spend", Self.header + "2026-13-77,com.example,7,c,USD,1\n", "day",
                    "line 2: must be a day such as"
                ),
                ("/v1/spend", spend + "c,USD,x\n" + Self.day + "d,usd,1\n", "spend", "; line 3: currency: must be"),
                ("/v1/spend", spend + "\u{0}\u{1},USD,1\n", "campaign_id", "line 2: must be"),
                ("/v1/rates", "day,currency,units_per_usd\n2026-01-01,USD,2\n", "units_per_usd", "line 2: must be 1"),
                ("/v1/rates", "day,currency,units_per_usd\n", "body", "line 1: the file has no rows"),
                ("/v1/app-names", "app_id,app_name\n1,A\n1,B\n", "app_id", "line 3: line 2 has the same app"),
                ("/v1/app-names?replace=true", "app_id,app_name\n-1,A\n", "app_id", "line 2: must be"),
                ("/v1/mapping", Self.mappingHeader + repeated + repeated, "valid_from", "line 3: line 2 has the same"),
                ("/v1/schemes", "not JSON", "json", "line 1: "), ("/v1/schemes", "[]", "json", "line 1: "),
                ("/v1/schemes", "{\"app-id\": \"x\"}", "app-id", "line 1: "),
                ("/v1/spend?dry_run=1", "x", "dry_run", "must be true or false"),
                ("/v1/spend?dry_run=true&dry_run=true", "x", "dry_run", "must be there once"),
                ("/v1/spend?confirmation=0.0", "x", "confirmation", "must be the confirmation of a dry run"),
                ("/v1/spend?dry_run=true&confirmation=x", "x", "confirmation", "must not be there with dry_run=true"),
                ("/v1/spend?name=", "x", "name", "must be 1 to 200 bytes"),
                ("/v1/spend?name=%0A", "x", "name", "must be 1 to 200 bytes"),
                ("/v1/spend?name=%00", "x", "name", "must not have a zero byte"),
                ("/v1/spend?replace=true", "x", "replace", "is no parameter of this path"),
                ("/v1/mapping?replace=perhaps", "x", "replace", "must be true or false"),
            ]
            for (path, body, field, rule) in files {
                let answer = try await ann.send(.POST, path, body)
                #expect(answer.status == 400, "\(path) \(body): \(answer.text)")
                let problem = try ann.object(of: answer)
                #expect(problem["field"] as? String == field, "\(path) \(body): \(problem)")
                #expect((problem["rule"] as? String)?.contains(rule) == true, "\(path) \(body): \(problem)")
                // Values of the request are in no answer.
                #expect(!answer.text.contains("2026-13-77"), "\(answer.text)")
            }
            let requests: [(method: HTTPMethod, path: String, status: Int, field: String)] = [
                (.GET, "/v1/loads?limit=0", 400, "limit"), (.GET, "/v1/loads?limit=1001", 400, "limit"),
                (.GET, "/v1/loads?limit=x", 400, "limit"), (.GET, "/v1/loads?kind=all", 400, "kind"),
                (.GET, "/v1/schemes/x/2026-01-01", 400, "app"), (.GET, "/v1/schemes/-1/2026-01-01", 400, "app"),
                (.GET, "/v1/schemes/1/yesterday", 400, "time"), (.GET, "/v1/schemes/1/2026-01-01", 404, "time"),
                (.GET, "/v1/mapping?advertised_app_id=-1", 400, "advertised_app_id"),
                (.GET, "/v1/mapping?ad_network_id=%20", 400, "ad_network_id"),
                (.GET, "/v1/app-names?limit=1", 400, "limit"), (.DELETE, "/v1/loads/nothing/1", 400, "kind"),
                (.DELETE, "/v1/loads/spend/x", 400, "load"), (.DELETE, "/v1/loads/spend/0", 400, "load"),
                (.DELETE, "/v1/loads/spend/99999999999999999999", 400, "load"),
                (.DELETE, "/v1/loads/spend/1", 404, "load"), (.PUT, "/v1/spend", 405, "method"),
            ]
            for (method, path, status, field) in requests {
                let answer = try await ann.send(method, path)
                #expect(answer.status == status, "\(path): \(answer.text)")
                #expect(try ann.object(of: answer)["field"] as? String == field, "\(path): \(answer.text)")
            }
            for path in ["/v1/spend", "/v1/rates", "/v1/mapping", "/v1/app-names", "/v1/schemes"] {
                let long = try await ann.send(.POST, path, String(repeating: "a", count: 1_048_577))
                #expect(long.status == 413 && long.text.contains("must have at most 1048576 bytes"), "\(long.text)")
                // Bytes that are no text.
                let bytes = try await ann.admin.request(
                    .POST, path, headers: [("Authorization", "Bearer \(ann.token)")], body: [0xFF, 0xFE, 0x00, 0x0A])
                #expect(bytes.status == 400 && bytes.text.contains("\"field\":"), "\(path): \(bytes.text)")
            }
            // Who lacks the scope is told so before the body is read.
            let token = try await installation.succeed(["token", "add", "reader", "--scope", "read"])
            let reader = Loader(admin: ann.admin, token: token.trimmingCharacters(in: .whitespacesAndNewlines))
            #expect(try await ann.admin.request(.POST, "/v1/reload", headers: Installation.authorization).status == 200)
            let denied = try await reader.send(.POST, "/v1/spend", spend + "c,USD,1\n")
            #expect(denied.status == 403 && denied.text.contains("must be load"), "\(denied.text)")
            #expect(try await reader.send(.DELETE, "/v1/loads/spend/1").status == 403)
            #expect(try await reader.send(.GET, "/v1/loads").status == 200)
            #expect(try await state(installation) == [])
        }
    }
}
