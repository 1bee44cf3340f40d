import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("The screens that operators change things with")
    struct OperatorPageTests {
        private func page() async throws -> (PageClient, Installation, csrf: String) {
            let installation = try Installation.current
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            return (page, installation, try PageClient.csrf(try await page.get("/mapping")))
        }

        @Test("A mapping is checked, loaded as a whole or not at all, and shown with its names as text", .installation)
        func mapping() async throws {
            let (page, installation, csrf) = try await page()
            func send(_ action: String, _ text: String) async throws -> PostbackClient.Answer {
                try await page.post("/mapping", [("csrf", csrf), ("do", action), ("mapping", text)])
            }
            let count = "SELECT count(*) FROM attribution.campaign_mapping WHERE NOT is_built_in"
            let header = "ad_network_id,campaign_type,identifier,campaign_id,campaign_name\n"
            let good = header + "example123.skadnetwork,source-identifier,39,1001,<b>Summer</b>\n"
            let checked = try await send("check", good)
            #expect(checked.status == 200 && checked.text.contains("1 row, nothing is wrong."), "\(checked.text)")
            #expect(try await installation.database.value(count) == "0")
            let wrong = try await send("load", good + "example123.skadnetwork,source-identifier,12345,1002,Autumn\n")
            #expect(wrong.status == 400 && wrong.text.contains("line 3: identifier: "), "\(wrong.text)")
            // What was pasted is still there.
            #expect(wrong.text.contains(",1001,&lt;b&gt;Summer&lt;/b&gt;\n"))
            #expect(try await installation.database.value(count) == "0")
            let loaded = try await send("load", good.replacing("\n", with: "\r\n"))
            #expect(loaded.status == 200 && loaded.text.contains("Loaded: 1 added, 0 changed"), "\(loaded.text)")
            #expect(loaded.text.contains("&lt;b&gt;Summer&lt;/b&gt; (1001)") && !loaded.text.contains("<b>"))
            #expect(try await installation.database.value(count) == "1")
            #expect(try await send("eat", good).status == 400)
            #expect(try await page.post("/mapping", [("do", "load"), ("mapping", good)]).status == 403)
        }

        @Test(
            "A name for an identifier that has one is asked about first, and the page says on which days a row is valid",
            .installation)
        func naming() async throws {
            let (page, installation, csrf) = try await page()
            func send(_ network: String, _ more: [(String, String)]) async throws -> PostbackClient.Answer {
                let fields = [
                    ("csrf", csrf), ("do", "name"), ("network", network), ("campaign-type", "source-identifier"),
                    ("identifier", "38"),
                ]
                return try await page.post("/mapping", fields + more)
            }
            let network = "example123.skadnetwork"
            let state =
                "SELECT concat_ws(' ', valid_from, last_named_day, campaign_id) FROM attribution.campaign_mapping WHERE NOT is_built_in"
            let first = try await send(network, [("campaign-id", "video"), ("first-day", "2026-01-01")])
            #expect(
                first.text.contains(
                    "It is valid from 2026-01-01 on, without a last day. No postback with this identifier was received"),
                "\(first.text)")
            #expect(!first.text.contains("Notice:"))
            // A network is chosen from a list, or typed.
            #expect(first.text.contains(" list=\"name-network-names\""))
            #expect(first.text.contains("<option value=\"example123.skadnetwork\"></option>"))

            // The stored row would end the day before.
            let asked = try await send(network, [("campaign-id", "other"), ("first-day", "2026-11-09")])
            #expect(asked.text.contains("<h1>Load the mapping?</h1>"), "\(asked.text)")
            #expect(
                try asked.cells("changed") == [
                    [
                        "example123.skadnetwork, source-identifier 38, from 2026-01-01", "last day open",
                        "last day 2026-11-08: another row begins on 2026-11-09",
                    ]
                ])
            #expect(try await installation.database.column(state) == ["2026-01-01 infinity video"])
            let done = try await page.post("/mapping", asked.pressed("confirm"))
            #expect(done.text.contains("Loaded: 1 added, 1 changed, 0 unchanged, 0 removed."), "\(done.text)")
            let both = ["2026-01-01 2026-11-08 video", "2026-11-09 infinity other"]
            #expect(try await installation.database.column(state + " ORDER BY valid_from") == both)
            let back = try await page.post("/mapping", done.pressed("take-back-mapping"))
            #expect(back.status == 200, "\(back.text)")
            #expect(try await installation.database.column(state) == ["2026-01-01 infinity video"])

            // Without a first day the row ends when the stored one begins.
            let early = try await send(network, [("campaign-id", "early")])
            #expect(
                early.text.contains(
                    "It is valid from the beginning until 2025-12-31, since another row begins on 2026-01-01. No postback"
                ), "\(early.text)")
            let misspelled = try await send("exampel123.skadnetwork", [("campaign-id", "x")])
            #expect(
                misspelled.status == 200
                    && misspelled.text.contains(
                        "Notice: neither the key ring nor a postback nor spend has the network exampel123."),
                "\(misspelled.text)")
        }

        @Test(
            "A name for one app is asked about first if a row for all apps would lose postbacks to it, but not vice versa",
            .installation)
        func namingOneApp() async throws {
            let (page, installation, csrf) = try await page()
            func send(
                _ identifier: String, _ campaign: String, app: String = "", from day: String = ""
            ) async throws -> PostbackClient.Answer {
                try await page.post(
                    "/mapping",
                    [
                        ("csrf", csrf), ("do", "name"), ("network", "example123.skadnetwork"),
                        ("campaign-type", "source-identifier"), ("identifier", identifier), ("app", app),
                        ("campaign-id", campaign), ("campaign-name", "The \(campaign)"), ("first-day", day),
                    ])
            }
            /// The rows that would lose postbacks; empty if nothing is asked about them.
            func losing(_ answer: PostbackClient.Answer) throws -> [[String]] {
                answer.text.contains(" id=\"losing\"") ? try answer.cells("losing") : []
            }
            let app = "525463029"
            let rows = """
                SELECT concat_ws(' ', identifier, advertised_app_id, campaign_id) FROM attribution.campaign_mapping
                 WHERE NOT is_built_in ORDER BY identifier, advertised_app_id NULLS FIRST
                """
            let all = try await send("38", "video", from: "2026-01-01")
            #expect(all.text.contains("is added."), "\(all.text)")
            let name = "example123.skadnetwork, source-identifier 38"

            // The stored row stays as it is, but its campaign would lose the postbacks of the app.
            let asked = try await send("38", "other", app: app, from: "2026-11-09")
            #expect(asked.text.contains("<h1>Load the mapping?</h1>"), "\(asked.text)")
            #expect(asked.text.contains("This would add 1 rows, change 0, remove 0"), "\(asked.text)")
            #expect(
                try losing(asked) == [
                    [
                        "\(name), from 2026-01-01", "campaign id video, campaign name The video",
                        "source-identifier 38, app \(app), from 2026-11-09: campaign id other, campaign name The other",
                    ]
                ])
            #expect(try await installation.database.column(rows) == ["38 video"])
            let done = try await page.post("/mapping", asked.pressed("confirm"))
            #expect(done.text.contains("Loaded: 1 added, 0 changed, 0 unchanged, 0 removed."), "\(done.text)")
            #expect(try await installation.database.column(rows) == ["38 video", "38 \(app) other"])
            let again = try await send("38", "other", app: app, from: "2026-11-09")
            #expect(again.text.contains("is unchanged."), "\(again.text)")
            // From then on the row of the app has them; before, the row for all apps has.
            let later = try await send("38", "third", app: app, from: "2026-12-01")
            #expect(try later.cells("changed").count == 1 && losing(later).isEmpty, "\(later.text)")
            let earlier = try await send("38", "third", app: app, from: "2026-06-01")
            #expect(try losing(earlier).map { $0[0] } == ["\(name), from 2026-01-01"], "\(earlier.text)")
            // More digits are more specific than an app.
            let longer = try await send("5238", "third")
            let both = ["\(name), app \(app), from 2026-11-09", "\(name), from 2026-01-01"]
            #expect(try losing(longer).map { $0[0] } == both, "\(longer.text)")

            // A row for all apps takes nothing from one for an app, nor does one of the same campaign or of other days.
            let header = "ad_network_id,campaign_type,identifier,valid_from,valid_to,campaign_id\n"
            let past = header + "example123.skadnetwork,source-identifier,41,2025-01-01,2025-01-31,past\n"
            let loaded = try await page.post("/mapping", [("csrf", csrf), ("do", "load"), ("mapping", past)])
            #expect(loaded.text.contains("Loaded: 1 added"), "\(loaded.text)")
            for (identifier, campaign, ofApp, day) in [
                ("39", "one", app, ""), ("39", "everyone", "", ""), ("40", "same", "", ""), ("40", "same", app, ""),
                ("41", "now", app, "2026-01-01"),
            ] {
                let added = try await send(identifier, campaign, app: ofApp, from: day)
                #expect(try losing(added).isEmpty && added.text.contains("is added."), "\(added.text)")
            }
        }

        @Test(
            "A check lists the rows that would end earlier, and a long mapping has a search and links to its forms",
            .installation)
        func longMapping() async throws {
            let (page, _, csrf) = try await page()
            func send(_ action: String, _ rows: String) async throws -> PostbackClient.Answer {
                let header = "ad_network_id,campaign_type,identifier,valid_from,campaign_id\n"
                return try await page.post("/mapping", [("csrf", csrf), ("do", action), ("mapping", header + rows)])
            }
            let network = "example123.skadnetwork,source-identifier,"
            let rows = (10..<40).map { network + "\($0),2026-01-01,c\($0)\n" }.joined()
            #expect(try await send("load", rows).text.contains("Loaded: 30 added"))
            let checked = try await send("check", network + "12,2026-11-09,new\n")
            #expect(
                checked.text.contains(
                    "last day open becomes last day 2026-11-08: another row begins on 2026-11-09"), "\(checked.text)")
            let all = try await page.get("/mapping")
            #expect(all.text.contains("<label for=\"find\">Find in the table</label>"))
            #expect(!all.text.contains("Choose columns"))
            for form in ["name", "load", "allocate", "retire", "app-names-form"] {
                #expect(all.text.contains("<a href=\"#\(form)\">"), "\(form)")
                #expect(all.text.contains(" id=\"\(form)\""), "\(form)")
            }
            let found = try await page.get("/mapping?network=com.example&find=C12")
            #expect(try found.cells("mapping").map(\.first) == ["(c12)"])
            #expect(found.text.contains("<a href=\"/mapping?network=com.example\">Show all rows</a>"))
            let none = try await page.get("/mapping?find=%3Cb%3E")
            #expect(none.text.contains("No row contains “&lt;b&gt;”."), "\(none.text)")
        }

        @Test("Names of apps are checked, loaded and shown as text; a wrong line loads nothing", .installation)
        func appNames() async throws {
            let (page, installation, csrf) = try await page()
            func send(_ action: String, _ text: String) async throws -> PostbackClient.Answer {
                try await page.post("/mapping", [("csrf", csrf), ("do", action), ("app-names", text)])
            }
            let good = "app_id,app_name\n525463029,<b>Puzzle</b>\n"
            let checked = try await send("check-names", good)
            #expect(checked.status == 200 && checked.text.contains("would add 1, change 0"), "\(checked.text)")
            let wrong = try await send("load-names", good + "x,Other\n")
            #expect(wrong.status == 400 && wrong.text.contains("line 3: app_id: must be "), "\(wrong.text)")
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.app_name") == "0")
            let loaded = try await send("load-names", good)
            #expect(loaded.status == 200 && loaded.text.contains("Loaded: 1 added, 0 changed"), "\(loaded.text)")
            #expect(try loaded.cells("app-names") == [["525463029", "&lt;b&gt;Puzzle&lt;/b&gt;"]])
        }

        @Test(
            "An identifier is given out and retired, and what is wrong with a wish is said beside the form",
            .installation)
        func allocation() async throws {
            let (page, installation, csrf) = try await page()
            func send(_ fields: [(String, String)]) async throws -> PostbackClient.Answer {
                try await page.post("/mapping", [("csrf", csrf)] + fields)
            }
            let network = ("network", "example123.skadnetwork")
            let wish = [
                ("do", "allocate"), network, ("digits", "2"), ("campaign-id", "1001"), ("campaign-name", "Autumn"),
            ]
            let given = try await send(wish)
            #expect(given.status == 200, "\(given.text)")
            let digits = try #require(given.text.firstMatch(of: /Given out: source-identifier ([0-9]{2})\./)).1
            #expect(
                try await installation.database.value(
                    "SELECT identifier || campaign_name FROM attribution.campaign_mapping WHERE NOT is_built_in")
                    == "\(digits)Autumn")
            for (fields, message) in [
                ([("do", "allocate"), ("digits", "2"), ("campaign-id", "1")], "“Network” is missing"),
                ([("do", "allocate"), network, ("digits", "2")], "“Campaign id at yours” is missing"),
                (
                    [("do", "allocate"), network, ("digits", "3"), ("within", "1"), ("campaign-id", "1")],
                    "“Within the group of digits” must have fewer digits than “Which”"
                ),
                ([("do", "allocate"), network, ("app", "x"), ("campaign-id", "1")], "“App” must be"),
                ([("do", "retire"), network, ("campaign-type", "source-identifier")], "“Identifier” is missing"),
                (
                    [("do", "retire"), network, ("campaign-type", "campaign-id"), ("identifier", "42")],
                    "Nothing was changed: no active row of the mapping has the campaign-id 42."
                ),
            ] as [([(String, String)], String)] {
                let answer = try await send(fields)
                #expect(answer.status == 400 && answer.text.contains(message), "\(message) \(answer.text)")
                #expect(answer.text.contains("class=\"error-summary\""))
            }
            let retired = try await send([
                ("do", "retire"), network, ("campaign-type", "source-identifier"), ("identifier", String(digits)),
            ])
            #expect(retired.status == 200 && retired.text.contains("\(digits): last day "), "\(retired.text)")
            #expect(
                try await installation.database.value(
                    "SELECT valid_to IS NOT NULL FROM attribution.campaign_mapping WHERE NOT is_built_in") == "true"
            )
        }

        @Test("Each error leads to its field, one mistake gives one message, and what was typed stays", .installation)
        func fields() async throws {
            let (page, _, csrf) = try await page()
            let network = ("network", "example123.skadnetwork")
            for (path, fields, errors) in [
                ("/mapping", [("do", "allocate"), ("digits", "2"), ("campaign-id", "1")], ["allocate-network"]),
                (
                    "/mapping", [("do", "allocate"), network, ("digits", "2"), ("campaign-id", "a\u{7}")],
                    ["allocate-campaign-id"]
                ),
                ("/mapping", [("do", "allocate"), network, ("digits", "9"), ("within", "39")], ["allocate-digits"]),
                ("/mapping", [("do", "allocate"), network, ("digits", "3"), ("within", "x")], ["allocate-within"]),
                (
                    "/mapping", [("do", "allocate"), ("app", "x"), ("digits", "2")],
                    ["allocate-network", "allocate-app", "allocate-campaign-id"]
                ),
                (
                    "/mapping", [("do", "retire"), network, ("campaign-type", "campaign-id"), ("identifier", "42")],
                    ["retire-identifier"]
                ),
                (
                    "/mapping",
                    [
                        ("do", "retire"), network, ("campaign-type", "campaign-id"), ("identifier", "42"),
                        ("last-day", "soon"),
                    ], ["retire-last-day"]
                ),
                ("/mapping", [("do", "check"), ("mapping", "")], ["load-mapping"]),
                ("/spend", [("do", "load-rates"), ("rates", "day;currency;units_per_usd\n")], ["rates-form-rates"]),
                ("/spend", [("do", "check-spend"), ("spend", "day\n1")], ["spend-form-spend"]),
                ("/schemes", [("do", "check"), ("scheme", "{")], ["load-scheme"]),
            ] as [(String, [(String, String)], [String])] {
                let answer = try await page.post(path, [("csrf", csrf)] + fields)
                #expect(answer.status == 400)
                #expect(try answer.errors().map(\.field) == errors, "\(fields) \(answer.text)")
                for (name, text) in fields where ["network", "identifier", "last-day", "app"].contains(name) {
                    #expect(answer.text.contains(" name=\"\(name)\" value=\"\(text)\""), "\(name)")
                }
            }
        }

        @Test("A mistake in a table or a scheme is named with line, field and the line itself", .installation)
        func lines() async throws {
            let (page, _, csrf) = try await page()
            let row = "example123.skadnetwork,source-identifier,"
            let header = "ad_network_id,campaign_type,identifier,campaign_id\n"
            for (path, action, name, text, message, line) in [
                (
                    "/mapping", "load", "mapping", header + row + "39,1\n" + row + "12345,<2>\n",
                    "line 3: identifier: must be ", row + "12345,&lt;2&gt;"
                ),
                (
                    "/mapping", "check", "mapping", header.replacing(",", with: ";") + "a;b;39;1\n",
                    "line 1: header row: has semicolons between the names; save the file as CSV with commas",
                    "ad_network_id;campaign_type;identifier;campaign_id"
                ),
                (
                    "/spend", "check-rates", "rates", "day,currency,units_per_usd\r\n2026-09-01,EUR,0,9\r\n",
                    "line 2: has 4 fields, but the header row has 3", "2026-09-01,EUR,0,9"
                ),
                (
                    "/schemes", "check", "scheme",
                    "{\"app-id\": 525463029, \"name\": \"a\", \"fine\": [{\"value\": 1, \"events\": []}],\n"
                        + "\"valid-from\": \"2026-09-01T00:00:00Z\",\n \"currency\": \"US\"}",
                    "line 3: currency: must be ", "&quot;currency&quot;: &quot;US&quot;}"
                ),
            ] {
                let answer = try await page.post(path, [("csrf", csrf), ("do", action), (name, text)])
                let errors = try answer.errors()
                #expect(errors.count == 1 && errors[0].message.hasPrefix(message), "\(errors)")
                let code = try #require(answer.text.firstMatch(of: /<li>line [0-9]+: .*? <code>(.*?)<\/code><\/li>/))
                #expect(code.1.contains(line), "\(code.1)")
            }
        }

        @Test("Spend and rates are checked and loaded, and a wrong line loads nothing", .installation)
        func spend() async throws {
            let (page, installation, csrf) = try await page()
            func send(_ fields: [(String, String)]) async throws -> PostbackClient.Answer {
                try await page.post("/spend", [("csrf", csrf)] + fields)
            }
            let header = "day,ad_network_id,advertised_app_id,campaign_id,currency,spend\n"
            let good = header + "2026-09-01,example123.skadnetwork,525463029,1001,USD,12.50\n"
            let wrong = try await send([("do", "load-spend"), ("spend", good + "2026-09-02,,1,1,USD,1\n")])
            #expect(wrong.status == 400 && wrong.text.contains("line 3: ad_network_id: "), "\(wrong.text)")
            #expect(
                try await send([("do", "check-spend"), ("spend", good)]).text.contains("1 row, nothing is wrong."))
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.spend_daily") == "0")
            let loaded = try await send([("do", "load-spend"), ("spend", good)])
            #expect(loaded.status == 200 && loaded.text.contains("Loaded: 1 added, 0 changed, 0 unchanged, 0 removed."))
            #expect(
                try loaded.cells("spend") == [
                    ["example123", "525463029", "USD", "1", "2026-09-01", "2026-09-01", "12.500000"]
                ])
            let rates = try await send([
                ("do", "load-rates"), ("rates", "day,currency,units_per_usd\n2026-09-01,EUR,0.9\n"),
            ])
            #expect(rates.status == 200 && rates.text.contains("Loaded: 1 added"), "\(rates.text)")
            #expect(try rates.cells("rates").map(\.first) == ["EUR"])
        }

        @Test(
            "A check refuses what loading would refuse, says what loading would do, and stores nothing", .installation)
        func dryRuns() async throws {
            let (page, installation, csrf) = try await page()
            func send(_ path: String, _ action: String, _ name: String, _ text: String) async throws
                -> PostbackClient.Answer
            {
                try await page.post(path, [("csrf", csrf), ("do", action), (name, text)])
            }
            /// Everything that these screens could change.
            func state() async throws -> String? {
                try await installation.database.value(
                    """
                    SELECT concat_ws(' ', (SELECT md5(string_agg(m::text, '|' ORDER BY mapping)) FROM attribution.campaign_mapping AS m),
                                     (SELECT string_agg(s::text, '|') FROM attribution.spend_daily AS s),
                                     (SELECT string_agg(r::text, '|') FROM attribution.currency_rate AS r),
                                     (SELECT md5(string_agg(c::text, '|' ORDER BY valid_from)) FROM attribution.conversion_scheme AS c),
                                     (SELECT count(*) FROM attribution.conversion_meaning))
                    """)
            }
            // Days of a stored row overlap with those of the file.
            let header = "ad_network_id,campaign_type,identifier,valid_from,valid_to,campaign_id\n"
            let network = "example123.skadnetwork,source-identifier,39,"
            #expect(
                try await send("/mapping", "load", "mapping", header + network + "2026-09-01,2026-09-30,1\n").status
                    == 200)
            let tie = header + network + "2026-09-15,2026-10-30,2\n"
            for action in ["check", "load"] {
                let answer = try await send("/mapping", action, "mapping", tie)
                #expect(
                    answer.status == 400 && answer.text.contains("a stored row has the same conditions"),
                    "\(answer.text)")
            }
            // A scheme begins in the middle of another one.
            let scheme = { (from: String, to: String) in
                "{\"app-id\": 525463029, \"name\": \"own\", \"valid-from\": \"\(from)\", \"valid-to\": \"\(to)\", \"currency\": \"USD\","
                    + "\"fine\": [{\"value\": 1, \"events\": []}]}"
            }
            let stored = scheme("2026-09-01T00:00:00Z", "2026-10-01T00:00:00Z")
            #expect(try await send("/schemes", "load", "scheme", stored).status == 200)
            for action in ["check", "load"] {
                let answer = try await send(
                    "/schemes", action, "scheme", scheme("2026-09-15T00:00:00Z", "2026-11-01T00:00:00Z"))
                #expect(answer.status == 400 && answer.text.contains("error-summary"), "\(answer.text)")
                #expect(!answer.text.contains("Good: "))
            }
            let spend =
                "day,ad_network_id,advertised_app_id,campaign_id,currency,spend\n2026-09-01,example123.skadnetwork,1,1,USD,5\n"
            #expect(try await send("/spend", "load-spend", "spend", spend).status == 200)
            let rates = "day,currency,units_per_usd\n2026-09-01,EUR,0.9\n"
            #expect(try await send("/spend", "load-rates", "rates", rates).status == 200)
            let before = try await state()
            for (path, action, name, text, message) in [
                (
                    "/mapping", "check", "mapping", header + network + "2026-10-01,,2\n",
                    // The stored row would end where this one begins.
                    "“Load” would add 1, change 1 and leave 0 as they are. The other button would also remove 1."
                ),
                (
                    "/schemes", "check", "scheme", scheme("2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"),
                    "“Load” would say: app 525463029, own: loaded, valid "
                ),
                ("/schemes", "check", "scheme", stored, "own: is loaded already."),
                (
                    "/spend", "check-spend", "spend", spend.replacing(",5", with: ",6"),
                    "“Load” would add 0, change 1, remove 0 and leave 0 as they are."
                ),
                (
                    "/spend", "check-rates", "rates", rates.replacing("0.9", with: "0.8"),
                    "“Load” would add 0, change 1 and leave 0 as they are."
                ),
            ] {
                let answer = try await send(path, action, name, text)
                #expect(answer.status == 200 && answer.text.contains(message), "\(message) \(answer.text)")
                #expect(try await state() == before, "\(action)")
            }
        }

        @Test(
            "A file that is chosen is read like a pasted one, with the same refusals, limits and tokens", .installation)
        func files() async throws {
            let (page, installation, csrf) = try await page()
            func send(_ fields: [(String, String)], _ file: [UInt8]) async throws -> PostbackClient.Answer {
                try await page.upload("/mapping", fields, file: ("mapping", file))
            }
            let count = "SELECT count(*) FROM attribution.campaign_mapping WHERE NOT is_built_in"
            let header = "ad_network_id,campaign_type,identifier,campaign_id,campaign_name\r\n"
            let good = Array((header + "example123.skadnetwork,source-identifier,39,1001,<b>Summer</b>\r\n").utf8)
            let load = [("csrf", csrf), ("do", "load"), ("mapping", "")]
            // Line, field and rule.
            let wrong = try await send(
                load, good + Array("example123.skadnetwork,source-identifier,12345,1,A\r\n".utf8))
            #expect(wrong.status == 400 && wrong.text.contains("line 3: identifier: "), "\(wrong.text)")
            #expect(wrong.text.contains(",1001,&lt;b&gt;Summer&lt;/b&gt;"))
            let binary = try await send(load, good + [0xFF, 0x0A])
            #expect(binary.status == 400 && binary.text.contains("line 3: "), "\(binary.text)")
            // Nothing at all would remove every row.
            let empty = try await send([("csrf", csrf), ("do", "replace"), ("mapping", "")], [])
            #expect(empty.status == 400 && empty.text.contains("Choose a file that is not empty"), "\(empty.text)")
            #expect(try await send([("do", "load"), ("mapping", "")], good).status == 403)
            #expect(try await send(load, Array(repeating: 0x61, count: 1_048_576)).status == 413)
            #expect(try await installation.database.value(count) == "0")
            // The file counts, not the text beside it.
            let loaded = try await send([("csrf", csrf), ("do", "load"), ("mapping", "old text")], good)
            #expect(loaded.status == 200 && loaded.text.contains("Loaded: 1 added, 0 changed"), "\(loaded.text)")
            #expect(try await installation.database.value(count) == "1")
            // Without a file the text counts.
            let text = String(decoding: good, as: UTF8.self)
            let pasted = try await send([("csrf", csrf), ("do", "check"), ("mapping", text)], [])
            #expect(pasted.status == 200 && pasted.text.contains("1 row, nothing is wrong."), "\(pasted.text)")
        }

        @Test("A scheme is checked, loaded and shown; a wrong one is refused with line and field", .installation)
        func scheme() async throws {
            let (page, installation, csrf) = try await page()
            func send(_ action: String, _ text: String) async throws -> PostbackClient.Answer {
                try await page.post("/schemes", [("csrf", csrf), ("do", action), ("scheme", text)])
            }
            let count = "SELECT count(*) FROM attribution.conversion_scheme"
            let file = String(decoding: try TestEnvironment.file("examples/scheme.json"), as: UTF8.self)
            let wrong = try await send("load", "{\"color\": \"<b>\"}")
            #expect(wrong.status == 400 && wrong.text.contains("line 1: "), "\(wrong.text)")
            #expect(!wrong.text.contains("<b>"))
            #expect(try await send("check", file).text.contains("<p class=\"notice\">Good: app "))
            #expect(try await installation.database.value(count) == "0")
            let loaded = try await send("load", file)
            #expect(loaded.status == 200 && loaded.text.contains("loaded, valid "), "\(loaded.text)")
            #expect(try await installation.database.value(count) == "1")
            let address = try #require(loaded.text.firstMatch(of: /href="(\/schemes\/[^"]+)"/)).1
            let shown = try await page.get(String(address))
            #expect(shown.status == 200 && shown.text.contains("&quot;valid-from&quot;"), "\(shown.text)")
            #expect(try await page.get("/schemes/1/2026-01-01").status == 404)
            #expect(try await page.get("/schemes/x").status == 404)
        }
    }
}
