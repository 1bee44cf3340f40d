import AdAttribution
import Foundation
import TestSupport
import Testing

extension ServerTests {
    @Suite("PostbackServer mapping and PostbackServer spend", .installation)
    struct TableCommandTests {
        private func run(_ arguments: [String], _ installation: Installation? = nil) async throws -> ServerCommand {
            try await ServerCommand.run(arguments, installation?.environment() ?? [:])
        }

        private static let names = "SELECT count(*) FROM attribution.campaign_mapping WHERE NOT is_built_in"

        @Test("The examples load, and load again without a change; what is listed as CSV is what was loaded")
        func examples() async throws {
            let installation = try Installation.current
            let folder = TestEnvironment.root + "examples/"
            let mapping = [folder + "campaign-mapping.csv", folder + "campaign-mapping.ndjson"]
            #expect(try await run(["mapping", "check", mapping[0]]).output.hasSuffix(": 5 rows, nothing is wrong\n"))
            let first = try await run(["mapping", "load", mapping[0]], installation)
            #expect(first.code == 0 && first.output == "mapping: 5 added, 0 changed, 0 unchanged\n", "\(first)")
            let second = try await run(["mapping", "load", mapping[1]], installation)
            #expect(second.output == "mapping: 2 added, 0 changed, 0 unchanged\n")
            let again = try await run(["mapping", "load", mapping[0]], installation)
            #expect(again.output == "mapping: 0 added, 0 changed, 5 unchanged\n")

            let list = try await run(["mapping", "list", "--format", "csv"], installation)
            try installation.write(list.output, to: "list.csv")
            let listed = try await run(
                ["mapping", "load", "--replace", installation.folder + "/list.csv"], installation)
            #expect(listed.output == "mapping: 0 added, 0 changed, 7 unchanged, 0 removed\n")
            let replaced = try await run(["mapping", "load", "--replace", mapping[1]], installation)
            #expect(replaced.output == "mapping: 0 added, 0 changed, 2 unchanged, 5 removed\n")

            let rates = try await run(["spend", "rates", folder + "currency-rates.csv"], installation)
            #expect(rates.code == 0 && rates.output == "rates: 3 added, 0 changed, 0 unchanged\n", "\(rates)")
            let spend = try await run(["spend", "load", folder + "spend.csv"], installation)
            #expect(spend.output == "spend: 3 added, 0 changed, 0 unchanged, 0 removed\n", "\(spend)")
            let more = try await run(["spend", "load", folder + "spend.ndjson"], installation)
            #expect(more.output == "spend: 1 added, 0 changed, 0 unchanged, 1 removed\n")
            let total = """
                SELECT round(sum(attribution.converted(spend, currency, 'USD', day)), 2) FROM attribution.spend_daily
                """
            #expect(try await installation.database.value(total) == "1724.88")
        }

        @Test("A dry run says what loading would do or refuse, and stores nothing")
        func dryRun() async throws {
            let installation = try Installation.current
            let folder = TestEnvironment.root + "examples/"
            for (command, file, output) in [
                (["mapping", "load"], "campaign-mapping.csv", "mapping: 5 added, 0 changed, 0 unchanged\n"),
                (["spend", "rates"], "currency-rates.csv", "rates: 3 added, 0 changed, 0 unchanged\n"),
                (["spend", "load"], "spend.csv", "spend: 3 added, 0 changed, 0 unchanged, 0 removed\n"),
            ] {
                let tried = try await run(command + ["--dry-run", folder + file], installation)
                #expect(tried.code == 0 && tried.output == "dry run, nothing is stored: " + output, "\(tried)")
            }
            let scheme = try await run(["scheme", "load", "--dry-run", folder + "scheme.json"], installation)
            #expect(
                scheme.output.hasPrefix("dry run, nothing is stored: app 525463029, 2026-Q4 revenue: loaded"),
                "\(scheme)")
            let stored = """
                SELECT (SELECT count(*) FROM attribution.campaign_mapping WHERE NOT is_built_in)
                       + (SELECT count(*) FROM attribution.spend_daily) + (SELECT count(*) FROM attribution.currency_rate)
                       + (SELECT count(*) FROM attribution.conversion_scheme)
                """
            #expect(try await installation.database.value(stored) == "0")
            // What is stored counts: days that overlap are refused, also in a dry run.
            let header = "ad_network_id,campaign_type,identifier,valid_from,valid_to,campaign_id\n"
            try installation.write(header + "com.example,campaign-id,1,2026-09-01,2026-09-30,a\n", to: "a.csv")
            try installation.write(header + "com.example,campaign-id,1,2026-09-15,2026-10-30,b\n", to: "b.csv")
            #expect(try await run(["mapping", "load", installation.folder + "/a.csv"], installation).code == 0)
            let tie = try await run(["mapping", "load", "--dry-run", installation.folder + "/b.csv"], installation)
            #expect(tie.code == 65 && tie.errors.contains("a stored row has the same conditions"), "\(tie)")
        }

        @Test("Names of apps are loaded, tried and listed, and a listing loads again without a change")
        func appNames() async throws {
            let installation = try Installation.current
            let example = TestEnvironment.root + "examples/app-names.csv"
            let tried = try await run(["app-names", "load", "--dry-run", example], installation)
            #expect(
                tried.output == "dry run, nothing is stored: app names: 2 added, 0 changed, 0 unchanged\n", "\(tried)")
            #expect(try await run(["app-names", "list"], installation).output == "app_id,app_name\r\n")
            let loaded = try await run(["app-names", "load", example], installation)
            #expect(loaded.code == 0 && loaded.output == "app names: 2 added, 0 changed, 0 unchanged\n", "\(loaded)")
            try installation.write("app_id,app_name\n7,=1+1\n", to: "formula.csv")
            let replaced = try await run(
                ["app-names", "load", "--replace", installation.folder + "/formula.csv"], installation)
            #expect(replaced.output == "app names: 1 added, 0 changed, 0 unchanged, 2 removed\n", "\(replaced)")
            let list = try await run(["app-names", "list"], installation).output
            #expect(list == "app_id,app_name\r\n7,'=1+1\r\n")
            try installation.write(list, to: "list.csv")
            let again = try await run(["app-names", "load", installation.folder + "/list.csv"], installation)
            #expect(again.output == "app names: 0 added, 0 changed, 1 unchanged\n", "\(again)")
            let other = try await run(["app-names", "load", "--dry-run", "--replace", example], installation)
            #expect(
                other.output == """
                    dry run, nothing is stored: app names: 2 added, 0 changed, 0 unchanged, 1 removed
                    removed: app 7: app name =1+1

                    """)
            try installation.write("app_id,app_name\n7,a\n7,b\n", to: "twice.csv")
            let twice = try await run(["app-names", "load", installation.folder + "/twice.csv"], installation)
            #expect(twice.code == 65 && twice.errors.contains("\nline 3: app_id: line 2 has the same app"), "\(twice)")
        }

        @Test(
            "Loads are listed with user, numbers and digest, a dry run lists what would be lost, and undo takes the last back"
        )
        func loads() async throws {
            let installation = try Installation.current
            let folder = TestEnvironment.root + "examples/"
            let state = """
                SELECT t::text FROM attribution.spend_daily AS t
                UNION ALL SELECT t::text FROM attribution.campaign_mapping AS t
                UNION ALL SELECT t::text FROM attribution.conversion_scheme AS t
                UNION ALL SELECT t::text FROM attribution.app_name AS t
                UNION ALL SELECT t::text FROM attribution.currency_rate AS t ORDER BY 1
                """
            let empty = try await installation.database.column(state)
            for arguments in [
                ["mapping", "load", folder + "campaign-mapping.csv"], ["spend", "load", folder + "spend.csv"],
                ["spend", "rates", folder + "currency-rates.csv"], ["scheme", "load", folder + "scheme.json"],
                ["app-names", "load", folder + "app-names.csv"],
            ] {
                try await installation.succeed(arguments)
            }
            let loaded = try await installation.database.column(state)
            let dry = try await run(["spend", "load", "--dry-run", folder + "spend.ndjson"], installation)
            #expect(
                dry.output == """
                    dry run, nothing is stored: spend: 1 added, 0 changed, 0 unchanged, 1 removed
                    loses its cost: 2026-11-21, example123.skadnetwork, app 525463029, campaign 1001: 1190.000000 USD
                    removed: 2026-11-21, example123.skadnetwork, app 525463029, campaign 1001, ad group 77, US: clicks 4003, currency USD, impressions 301000, installs 90, spend 1190.000000

                    """)
            try await installation.succeed(["spend", "load", folder + "spend.ndjson"])
            let list = try await installation.succeed(["spend", "loads"]).split(separator: "\n").map(String.init)
            #expect(list.count == 4 && list[0].hasPrefix("load  kind "), "\(list)")
            let digest = SHA256.digest(try TestEnvironment.file("examples/spend.ndjson")).map {
                String(format: "%02x", $0)
            }.joined()
            #expect(list[1].contains("  system user "), "\(list)")
            #expect(
                list[1].contains("loaded; can be taken back") && list[1].contains("  spend.ndjson ")
                    && list[1].hasSuffix(digest))
            #expect(list[2].contains(" rates ") && list[3].contains("spend.csv"))
            let undone = try await installation.succeed(["spend", "undo"])
            #expect(
                undone.hasPrefix("taken back: load ")
                    && undone.hasSuffix(": 1 added, 0 changed, 0 unchanged, 1 removed\n"))
            #expect(try await installation.database.column(state) == loaded)
            // A number that is not the last one is refused.
            let number = try #require(list[1].split(separator: " ").first)
            let twice = try await run(["spend", "undo", String(number)], installation)
            #expect(twice.code == 65 && twice.errors.contains("it is taken back already: load \(number) of spend"))
            let names = try await installation.succeed(["app-names", "loads"]).split(separator: "\n")
            #expect(
                names.count == 2 && names[1].contains(" app-names ")
                    && names[1].contains("loaded; can be taken back  app-names.csv "), "\(names)")
            for arguments in [
                ["mapping", "undo"], ["spend", "undo"], ["spend", "undo", "--rates"], ["scheme", "undo"],
                ["app-names", "undo"],
            ] {
                try await installation.succeed(arguments)
            }
            #expect(try await installation.database.column(state) == empty)
            let none = try await run(["mapping", "undo"], installation)
            #expect(none.code == 65)
            #expect(none.errors == "PostbackServer: no load of mapping is there that was not taken back\n")
            #expect(try await run(["mapping", "loads", "--limit", "0"], installation).code == 64)
        }

        @Test("Names like formulas are listed with an apostrophe, and loaded without it")
        func formulas() async throws {
            let installation = try Installation.current
            let names = ["=1+1", "-50 % Summer", "a;=2", "it's", "'=3", "\"@SUM\""]
            let rows = names.enumerated().map { number, name in
                #"{"ad_network_id":"com.example","campaign_type":"campaign-id","identifier":\#(number + 1),"#
                    + #""campaign_id":"c","campaign_name":"\#(name.replacing("\"", with: "\\\""))"}"#
            }
            try installation.write(rows.joined(separator: "\n"), to: "names.ndjson")
            let loaded = try await run(["mapping", "load", installation.folder + "/names.ndjson"], installation)
            #expect(loaded.output == "mapping: 6 added, 0 changed, 0 unchanged\n", "\(loaded)")
            let list = try await run(["mapping", "list", "--format", "csv"], installation).output
            for cell in [",'=1+1", ",'-50 % Summer", ",a;'=2", ",it's", ",''=3", ",\"'\"\"@SUM\"\"\""] {
                #expect(list.contains(cell), "\(list)")
            }
            try installation.write(list, to: "list.csv")
            let again = try await run(
                ["mapping", "load", "--replace", installation.folder + "/list.csv"], installation)
            #expect(again.output == "mapping: 0 added, 0 changed, 6 unchanged, 0 removed\n", "\(again)")
        }

        @Test("A wrong file is refused as a whole, with exit code 65 and every line, field and rule")
        func refused() async throws {
            let installation = try Installation.current
            let header = "ad_network_id,campaign_type,identifier,campaign_id,valid_from\n"
            try installation.write(
                header
                    + "com.example,campaign-id,1,a,\ncom.example,campaign-id,0,b,\ncom.example,campaign-id,2,,x\n",
                to: "bad.csv")
            let bad = installation.folder + "/bad.csv"
            let problems = """
                PostbackServer: \(bad) is refused as a whole:
                line 3: identifier: must be an integer from 1 to 100, not "0"
                line 4: campaign_id: must be given: 1 to 200 bytes of text without control characters, and not only blanks
                line 4: valid_from: must be a day such as 2026-11-22, not "x"

                """
            for command in ["check", "load"] {
                let result = try await run(["mapping", command, bad], installation)
                #expect(result.code == 65 && result.errors == problems, "\(result)")
            }
            #expect(try await installation.database.value(Self.names) == "0")

            try installation.write(
                "day,ad_network_id,advertised_app_id,campaign_id,currency,spend\n2026-11-20,a,1,c,USD,1\n"
                    + "2026-11-20,a,1,c,USD,2\n2026-11-20,a,1,d,DEM,-1\n", to: "spend.csv")
            let spend = try await run(["spend", "load", installation.folder + "/spend.csv"], installation)
            #expect(spend.code == 65)
            #expect(spend.errors.contains("\nline 3: day: line 2 has the same day"), "\(spend.errors)")
            #expect(spend.errors.contains("\nline 4: currency: must be a currency"))
            #expect(spend.errors.contains("\nline 4: spend: must be a number"))
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.spend_daily") == "0")

            try installation.write("day,currency,units_per_usd\n2026-11-20,EUR,0\n", to: "rates.csv")
            let rates = try await run(["spend", "rates", installation.folder + "/rates.csv"], installation)
            #expect(rates.code == 65 && rates.errors.contains("\nline 2: units_per_usd: must be a number"))

            // A tie with a stored row is found by the load only.
            try installation.write(header + "com.example,campaign-id,1,a,2026-10-02\n", to: "good.csv")
            #expect(try await run(["mapping", "load", installation.folder + "/good.csv"], installation).code == 0)
            try installation.write(
                header.replacing("valid_from", with: "valid_to") + "com.example,campaign-id,1,b,2026-10-02\n",
                to: "tie.csv")
            #expect(try await run(["mapping", "check", installation.folder + "/tie.csv"]).code == 0)
            let tie = try await run(["mapping", "load", installation.folder + "/tie.csv"], installation)
            #expect(tie.code == 65 && tie.errors.contains("\nline 2: valid_from: a stored row has"), "\(tie)")
            #expect(try await installation.database.value(Self.names) == "1")
        }

        @Test("A file that is missing, and a command line that is wrong, have exit codes of their own")
        func usage() async throws {
            let installation = try Installation.current
            let missing = installation.folder + "/none.csv"
            for command in [["mapping", "load"], ["mapping", "check"], ["spend", "load"], ["spend", "rates"]] {
                let result = try await run(command + [missing], installation)
                #expect(
                    result.code == 66 && result.errors == "PostbackServer: \(missing): can't be read\n", "\(result)"
                )
            }
            let allocate = ["mapping", "allocate", "--network", "com.example"]
            let wrong: [[String]] = [
                allocate, allocate + ["--campaign-id", "c", "--digits", "5"],
                allocate + ["--campaign-id", "c", "--within", "39"],
                allocate + ["--campaign-id", "c", "--digits", "2", "--within", "39"],
                allocate + ["--campaign-id", "c", "--app", "x"],
                allocate + ["--campaign-id", "c", "--from", "2026-01-01"],
                allocate + ["--digits", "3", "--within", "39", "--name", "n"],
                [
                    "mapping", "retire", "--network", "com.example", "--campaign-type", "campaign-id",
                    "--identifier", "0",
                ],
                [
                    "mapping", "retire", "--network", "com example", "--campaign-type", "campaign-id",
                    "--identifier", "1",
                ],
                ["mapping", "laod", "x"], ["spend", "load"],
            ]
            for arguments in wrong {
                let result = try await run(arguments, installation)
                #expect(result.code == 64, "\(arguments): \(result)")
            }
            #expect(try await run(["mapping"]).code == 0)
        }

        @Test("Identifiers are given out, listed, retired and held back, by programs at once too")
        func allocator() async throws {
            let installation = try Installation.current
            let options = ["--network", "com.example", "--app", "7"]
            let allocate = ["mapping", "allocate"] + options
            let given = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let result = try await run(
                            allocate + ["--campaign-id", "\(number)", "--digits", "2"], installation)
                        #expect(result.code == 0, "\(result.errors)")
                        return result.output
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(given.sorted() == (0..<8).map { "0\($0)\n" })
            let within = try await run(
                allocate + ["--digits", "3", "--within", "03", "--ad-group-id", "g", "--geo", "DE"], installation)
            #expect(within.output == "003\n")

            let retire = ["mapping", "retire"] + options + ["--campaign-type", "source-identifier"]
            let retired = try await run(
                retire + ["--identifier", "03", "--last-day", "2099-01-01", "--cool-down", "10"], installation)
            #expect(
                retired.output
                    == "03: last day 2099-01-01, cools down until 2099-01-11\n"
                    + "003: last day 2099-01-01, cools down until 2099-01-11\n", "\(retired)")
            let unknown = try await run(retire + ["--identifier", "77"], installation)
            #expect(unknown.code == 65)
            #expect(unknown.errors == "PostbackServer: no active row of the mapping has the source-identifier 77\n")

            let list = try await run(["mapping", "list", "--on", "2099-01-05"] + options, installation)
            #expect(list.code == 0)
            let lines = list.output.split(separator: "\n")
            #expect(lines.filter { $0.hasPrefix("active ") }.count == 7, "\(list.output)")
            #expect(lines.filter { $0.hasPrefix("cooling  2099-01-11  com.example  ") }.count == 2)
            let free =
                "free for com.example, app 7: 100 of 100 campaign ids, 92 of 100 groups of 2 digits, "
                + "920 of 1000 of 3, 8280 of 9000 of 4\n"
            #expect(list.output.hasSuffix(free), "\(list.output)")

            try await installation.database.run(
                """
                INSERT INTO attribution.campaign_mapping (ad_network_id, campaign_type, identifier, campaign_id)
                SELECT 'com.example', 'campaign-id', n::text, 'x' FROM generate_series(1, 100) AS n
                """)
            let none = try await run(allocate + ["--campaign-id", "c"], installation)
            #expect(none.code == 75)
            #expect(none.errors == "PostbackServer: none of the campaign ids is free; no cool-down is under way\n")
        }
    }
}
