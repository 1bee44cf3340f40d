import Foundation
import TestSupport
import Testing

extension ServerPageTests {
    @Suite("Totals, money and shares of the page", .installation)
    struct PageTotalsTests {
        private static let scheme = """
            {"app-id": 525463029, "name": "own", "valid-from": "2020-01-01T00:00:00Z", "currency": "EUR",
             "fine": [{"value": 1, "events": [{"name": "order", "revenue": {"from": 5, "to": 5}}]},
                      {"value": 2, "events": [{"name": "order", "revenue": {"from": 6, "to": 10}}]}],
             "windows": [{"index": 0, "coarse": {"low": {"events": []}}},
                         {"index": 1, "coarse": {"low": {"events": []}, "high": {"events": []}}},
                         {"index": 2, "coarse": {"low": {"events": []}}}]}
            """

        private static let report = """
            (SELECT * FROM attribution.report_install_campaign_daily_all WHERE environment = 'test' AND did_win)
            """

        /// The day so many days ago, UTC.
        private func day(_ ago: Int) -> String {
            String(Date(timeIntervalSinceNow: -86_400 * Double(ago)).ISO8601Format().prefix(10))
        }

        /// Counts postbacks of 4.0 that were received so many days ago, with the scheme above.
        private func counted(_ postbacks: [(ago: Int, TestPostback)]) async throws -> Installation {
            let installation = try Installation.current
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            let lines = try postbacks.map { ago, postback in
                var postback = postback
                postback.version = "4.0"
                postback.unsigned["received-at"] = "\(now - Int64(ago) * 86_400_000)"
                return try postback.body(installation.keys.postbackKeyP256)
            }
            try installation.write(Self.scheme, to: "scheme.json")
            _ = try await installation.succeed(["scheme", "load", installation.folder + "/scheme.json"])
            _ = try await installation.succeed(["import", installation.write(lines, to: "archive.ndjson")])
            _ = try await installation.succeed(["fold"])
            return installation
        }

        /// Two installs for each of so many days, with both values.
        private func installs(_ days: Range<Int>) -> [(ago: Int, TestPostback)] {
            days.flatMap { ago in (1...2).map { value in (ago, TestPostback { $0.conversionValue = value }) } }
        }

        /// The text of a tile: its number as shown, its note, and the number before.
        private func tile(_ label: String, _ page: PostbackClient.Answer) throws -> String {
            let part = try #require(page.text.components(separatedBy: "<dt>\(label)</dt>").dropFirst().first)
            let text = part.components(separatedBy: "</dd>")[0].replacing(/<[^>]*>/, with: "")
            return text
        }

        private func isMissing(_ cell: String) -> Bool { ["", "–"].contains(cell) }

        /// Paths, figures, and the column of the middle of the revenue.
        private static let eachLevel = [
            ("/campaigns?by=network", "networks", 6), ("/campaigns?by=campaign", "campaigns", 10),
            ("/campaigns?by=identifier", "identifiers", 9), ("/campaigns?by=source", "sources", 7), ("/", "top", 6),
        ]

        @Test("Revenue of schemes in another currency is converted at the rate of each day, in every figure")
        func converted() async throws {
            let installation = try await counted(installs(8..<20))
            try await installation.database.run(
                """
                INSERT INTO attribution.currency_rate (day, currency, units_per_usd, loaded_at)
                SELECT date '\(day(40))' + number, 'EUR', 0.5 + number / 100.0, now() FROM generate_series(0, 40) AS number
                """)
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let filters = "environment=test&currency=USD&from=\(day(39))&to=\(day(0))"
            let expected = try #require(
                try await installation.database.value(
                    """
                    SELECT sum(attribution.converted(revenue_middle, currency, 'USD', day)) FROM \(Self.report) AS report
                    """
                ).flatMap { Decimal(string: $0) })
            #expect(expected > 12 * 13)
            // Quotients of sums and sums of quotients differ in the last digit.
            func isExpected(_ cells: [String]) -> Bool {
                abs(cells.compactMap { Decimal(string: $0) }.reduce(0, +) - expected) < 0.000000001
            }
            let overview = try await page.get("/?" + filters)
            let totals = try overview.cells("totals")
            #expect(totals.first?.first == "complete days")
            #expect(isExpected(totals.prefix(1).map { $0[6] }), "\(totals)")
            #expect(overview.text.contains("Revenue of schemes in EUR is converted to USD"))
            let days = try overview.cells("revenue")
            #expect(isExpected(days.map { $0[2] }), "\(days)")
            for (path, figure, column) in Self.eachLevel {
                let answer = try await page.get(path + (path == "/" ? "?" : "&") + filters)
                let cells = try answer.cells(figure)
                #expect(isExpected(cells.map { $0[column] }), "\(figure) \(cells)")
            }
            let weeks = try await page.get("/windows?" + filters).cells("cohorts")
            #expect(isExpected(weeks.map { $0[3] }), "\(weeks)")
            // An interval can't be converted.
            #expect(
                try await page.get("/campaigns?by=modelled&" + filters).text.contains(
                    "For revenue in EUR, choose that currency."))
        }

        @Test("Revenue without a currency rate is – with the reason, never 0.00, and so is the return")
        func withoutRate() async throws {
            let installation = try await counted(installs(8..<12))
            try await installation.database.run(
                """
                INSERT INTO attribution.spend_daily
                       (day, ad_network_id, advertised_app_id, campaign_id, currency, spend, source_file, loaded_at)
                SELECT date '\(day(20))' + number, 'example123.skadnetwork', 525463029, 'brand', 'USD', 10, 'test', now()
                  FROM generate_series(0, 20) AS number
                """)
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let filters = "environment=test&currency=USD"
            let overview = try await page.get("/?" + filters)
            let revenue = try tile("Revenue of the first window, USD", overview)
            #expect(revenue.hasPrefix("– not known: 8 values have no currency rate of their day"), "\(revenue)")
            #expect(try tile("Return of the first window (ROAS)", overview).hasPrefix("–"))
            for (path, figure, column) in Self.eachLevel {
                let answer = try await page.get(path + (path == "/" ? "?" : "&") + filters)
                #expect(try answer.cells(figure).map { isMissing($0[column]) } == [true], "\(figure)")
                #expect(answer.text.contains("Without a rate it is not known (–)"))
            }
            #expect(try await page.get("/windows?" + filters).cells("cohorts").allSatisfy { isMissing($0[3]) })
        }

        @Test("Revenue is – if postbacks came and no value is mapped, with the reason")
        func unmapped() async throws {
            let installation = try await counted((8..<12).map { ($0, TestPostback { $0.conversionValue = 60 }) })
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let overview = try await page.get("/?environment=test&currency=EUR")
            #expect(
                try tile("Revenue of the first window, EUR", overview).hasPrefix("– not known: no value is mapped"))
        }

        @Test(
            "Totals, the return and the days before are of days that are complete, and the page says which days these are"
        )
        func completeDays() async throws {
            let installation = try await counted(installs(0..<45))
            let database = installation.database
            // Nobody knows of the days without postbacks that something was spent, but for the last ones.
            try await database.run(
                """
                INSERT INTO attribution.spend_daily
                       (day, ad_network_id, advertised_app_id, campaign_id, currency, spend, source_file, loaded_at)
                SELECT date '\(day(60))' + number, 'example123.skadnetwork', 525463029, 'brand', 'EUR', 10, 'test', now()
                  FROM generate_series(0, 60) AS number
                """)
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let (first, last) = (day(19), day(0))
            let address = "/?environment=test&currency=EUR&from=\(first)&to=\(last)"
            let overview = try await page.get(address)
            let up = try #require(
                try await database.value(
                    "SELECT min(day) - 1 FROM \(Self.report) AS report WHERE NOT complete AND sequence_index = 0"))
            #expect(up < last && up > first)
            func sums(_ first: String, _ last: String, isReturn: Bool = true) async throws -> String? {
                try await database.value(
                    """
                    SELECT concat_ws(' ', '\(first)', '\(last)', date '\(last)' - date '\(first)' + 1, sum(installs),
                                     sum(revenue_low), sum(revenue_middle), sum(revenue_high), spend
                                     \(isReturn ? ", round(sum(revenue_middle) / spend, 6)" : ""))
                      FROM \(Self.report) AS report
                     CROSS JOIN (SELECT sum(spend) AS spend FROM attribution.spend_daily
                                  WHERE day BETWEEN '\(first)' AND '\(last)') AS spent
                     WHERE day BETWEEN '\(first)' AND '\(last)' AND sequence_index = 0 GROUP BY spend
                    """)
            }
            let rows = try overview.cells("totals")
            #expect(rows.map(\.first) == ["complete days", "days before", "all days so far"])
            let count = try #require(Int(rows[0][3]))
            let shown = { (row: [String], columns: [Int]) in columns.map { row[$0] }.joined(separator: " ") }
            let columns = [1, 2, 3, 4, 5, 6, 7, 9, 11]
            #expect(shown(rows[0], columns) == (try await sums(first, up)))
            // As many days right before the chosen ones.
            #expect(shown(rows[1], columns) == (try await sums(day(19 + count), day(20))))
            // Of days that are not complete nothing is divided.
            #expect(shown(rows[2], columns.dropLast()) == (try await sums(first, last, isReturn: false)))
            #expect(isMissing(rows[2][11]))
            #expect(rows[2][4] != rows[0][4] && rows[2][9] == "200.000000")
            #expect(
                overview.text.contains(
                    "Totals are of the days that are complete, \(count) of 20: \(first) to \(up). Before: the \(count) "
                        + "days before them, \(day(19 + count)) to \(day(20))."))
            #expect(
                try tile("Installs", overview).contains("so far \(rows[2][4]) in all 20 days before: \(rows[1][4])"))
            // No window of 42 days has passed.
            let all = try tile("Revenue of all windows, EUR", overview)
            #expect(
                all.hasPrefix("– no day is complete in all windows, which takes up to 42 days; so far "), "\(all)")
            // Days of spend without postbacks are complete after some days, and spend is but for today's.
            let wide = try await page.get("/?environment=test&currency=EUR&from=\(day(60))&to=\(last)")
            let states = try wide.cells("spend").map { ($0[0], $0.last ?? "") }
            #expect(states.count == 61)
            for (day, state) in states {
                #expect((state == "complete") == (day <= up), "\(day) \(state)")
            }
            let bars = wide.text.matches(
                of: #/<tspan[^>]*>([0-9-]{10}), not complete yet</tspan> <tspan[^>]*>Spend: /#)
            #expect(bars.map { String($0.1) } == [last])
            // Of the days that are complete in all windows there is a row.
            let old = try wide.cells("totals")
            #expect(old.map(\.first).contains("complete in all windows"), "\(old)")
            // A range without a complete day has no totals.
            let today = try await page.get("/?environment=test&currency=EUR&from=\(day(3))&to=\(last)")
            #expect(today.text.contains("None of these 4 days is complete yet"))
            #expect(try tile("Installs", today).hasPrefix("– so far "))
        }

        /// Spend of 10 on each of the last days.
        private func spend(_ days: Int, _ installation: Installation) async throws {
            try await installation.database.run(
                """
                INSERT INTO attribution.spend_daily
                       (day, ad_network_id, advertised_app_id, campaign_id, currency, spend, source_file, loaded_at)
                SELECT date '\(day(days))' + number, 'example123.skadnetwork', 525463029, 'brand', 'EUR', 10, 'test', now()
                  FROM generate_series(0, \(days)) AS number
                """)
        }

        @Test("An identifier as received has no spend and no return on Overview, and the page says why")
        func received() async throws {
            let installation = try await counted(installs(8..<45))
            try await spend(60, installation)
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let days = "environment=test&currency=EUR&from=\(day(18))&to=\(day(0))"
            let all = try await page.get("/?" + days).cells("totals")
            #expect(all.first.map { isMissing($0[11]) } == false, "\(all)")
            let identifier = try await installation.database.value("SELECT min(campaign) FROM attribution.line") ?? ""
            let address = "/?\(days)&campaign=\(identifier)"
            let overview = try await page.get(address)
            let rows = try overview.cells("totals")
            #expect(rows.map { $0[0] }.contains("days before"), "\(rows)")
            for row in rows {
                #expect(row[4] != "0" && row[9...12].allSatisfy { isMissing($0) }, "\(row)")
            }
            let cost = try tile("Spend, EUR", overview)
            #expect(cost.hasPrefix("– not known: it is known by mapped campaign only"), "\(cost)")
            let returned = try tile("Return of the first window (ROAS)", overview)
            #expect(returned.hasPrefix("– not known: spend is known by mapped campaign only"), "\(returned)")
            for row in try overview.cells("spend") {
                #expect(isMissing(row[1]) && row[3...5].allSatisfy { isMissing($0) }, "\(row)")
            }
            let csv = try await page.get(address + "&csv=totals")
            for line in csv.text.split(separator: "\r\n").dropFirst() {
                let cells = line.split(separator: ",", omittingEmptySubsequences: false)
                #expect(cells.count > 12 && cells[9...12].allSatisfy { $0.isEmpty }, "\(line)")
            }
            #expect(overview.text.contains("So an identifier as received has no spend and no return"))
            #expect(
                overview.text.contains("Campaigns with most installs: A filter on an identifier as received shows only")
            )
            #expect(!overview.text.contains("is not used for spend and return"))
        }

        @Test("If all postbacks of an identifier have a name, or a campaign runs for another app, Overview says so")
        func emptyLists() async throws {
            let other = TestPostback { ($0.appID, $0.conversionValue) = (1_234_567_891, 1) }
            let installation = try await counted(installs(8..<12) + [(ago: 9, other)])
            try await installation.database.run(
                """
                INSERT INTO attribution.campaign_mapping
                       (ad_network_id, campaign_type, identifier, advertised_app_id, valid_from, campaign_id)
                SELECT DISTINCT ad_network_id, campaign_type, campaign, advertised_app_id, date '2020-01-01', 'brand'
                  FROM attribution.line WHERE advertised_app_id = 525463029
                """)
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let identifier =
                try await installation.database.value(
                    "SELECT min(campaign) FROM attribution.line WHERE advertised_app_id = 525463029") ?? ""
            let filters = "/?environment=test&currency=EUR"
            let named = try await page.get("\(filters)&app=525463029&campaign=\(identifier)")
            let reason =
                "A filter on an identifier as received shows only postbacks that no mapping row names. There are none."
            #expect(named.text.contains(reason), "\(named.text)")
            #expect(!named.text.contains("Choose more days"))
            let wrong = try await page.get("\(filters)&app=1234567891&campaign=brand")
            #expect(wrong.text.contains("“brand” has no postbacks in the app 1234567891 from "), "\(wrong.text)")
            #expect(!wrong.text.contains("Choose more days"))
            let labeled = try await page.get("\(filters)&campaign=brand")
            #expect(labeled.text.contains(">Revenue of all windows so far, middle, EUR<"), "\(labeled.text)")
        }

        @Test(
            "Days before that begin before the first postback are not compared, and the page says since when there are some"
        )
        func noFullPeriod() async throws {
            let installation = try await counted(installs(8..<30))
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let begins = try #require(
                try await installation.database.value("SELECT min(day) FROM \(Self.report) AS report"))
            let campaign = try await installation.database.value("SELECT min(campaign) FROM attribution.line") ?? ""
            let reason = "There is no full period before: the first day with postbacks in test is \(begins)."
            for path in ["/?", "/campaign?campaign=\(campaign)&network=example123.skadnetwork&app=525463029&"] {
                func screen(_ first: Int, _ last: Int) async throws -> PostbackClient.Answer {
                    try await page.get("\(path)environment=test&currency=EUR&from=\(day(first))&to=\(day(last))")
                }
                let cut = try await screen(22, 10)
                let periods = try cut.cells("totals").map { $0[0] }
                #expect(periods.contains("complete days") && !periods.contains("days before"), "\(path) \(periods)")
                let count = try tile("Installs", cut)
                #expect(count.contains("before: –"), "\(path) \(count)")
                #expect(cut.text.contains(reason), "\(path)")
                let whole = try await screen(18, 10)
                let row = try #require(try whole.cells("totals").first { $0[0] == "days before" }, "\(path)")
                #expect(row[1...3] == [day(27), day(19), "9"], "\(path) \(row)")
                #expect(try tile("Installs", whole).contains("before: \(row[4])"), "\(path)")
                #expect(whole.text.contains("Before: the 9 days before them, \(day(27)) to \(day(19))."), "\(path)")
                #expect(!whole.text.contains("no full period"), "\(path)")
            }
        }

        @Test("Without postbacks in the environment there is no return, and spend says that it belongs to none")
        func otherEnvironment() async throws {
            let installation = try await counted(installs(8..<30))
            try await spend(60, installation)
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let overview = try await page.get("/?currency=EUR&from=\(day(18))&to=\(day(0))")
            let rows = try overview.cells("totals")
            #expect(rows.first?[0] == "complete days" && rows.first?[4] == "0", "\(rows)")
            for row in rows {
                #expect(!isMissing(row[9]) && row[10...12].allSatisfy { isMissing($0) }, "\(row)")
            }
            #expect(!rows.map { $0[0] }.contains("days before"), "\(rows)")
            let returned = try tile("Return of the first window (ROAS)", overview)
            #expect(
                returned.hasPrefix("– not known: no postbacks of these days and filters in production"), "\(returned)")
            let cost = try tile("Spend, EUR", overview)
            #expect(cost.contains("spend belongs to no environment"), "\(cost)")
            for row in try overview.cells("spend") {
                #expect(!isMissing(row[1]) && row[3...5].allSatisfy { isMissing($0) }, "\(row)")
            }
        }

        @Test("A day without a row is complete only if no postback of it can arrive, and a day to come has no numbers")
        func daysWithoutRows() async throws {
            let installation = try await counted(installs(30..<40))
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let (today, tomorrow) = (day(0), day(-1))
            let up = try #require(
                try await installation.database.value(
                    """
                    SELECT max(day)::date FROM generate_series(date '\(day(30))', date '\(today)', interval '1 day') AS day
                     WHERE attribution.is_complete(day::date, true, 0::smallint, NULL, (SELECT attribution.answers_up_to()), false)
                    """))
            #expect(up < today && up > day(30))
            let filters = "environment=test&currency=EUR&from=\(day(50))&to=\(tomorrow)"
            let campaign = try await installation.database.value("SELECT min(campaign) FROM attribution.line") ?? ""
            for (path, figures) in [
                ("/?", ["installs", "revenue", "missing"]),
                (
                    "/campaign?campaign=\(campaign)&network=example123.skadnetwork&app=525463029&",
                    ["installs", "missing"]
                ),
            ] {
                let answer = try await page.get(path + filters)
                for figure in figures {
                    let shown = try places(figure, answer)
                    #expect(shown.count == 52, "\(path) \(figure)")
                    for place in shown {
                        let day = String(place[0].prefix(10))
                        #expect((place[0] == day) == (day <= up), "\(path) \(figure) \(place)")
                        // Nobody knows the numbers of tomorrow.
                        let isUnknown = figure != "installs" || day == tomorrow
                        #expect(isUnknown || place[1].hasPrefix("Installs: ") && !place[1].hasSuffix("–"), "\(place)")
                        #expect(day != tomorrow || place[1].hasSuffix(": –"), "\(path) \(figure) \(place)")
                    }
                }
            }
            let intake = try places("intake", try await page.get("/?" + filters))
            #expect(intake.suffix(2).map { $0[0] } == [today, tomorrow].map { $0 + ", not complete yet" })
            #expect(intake.dropLast(2).allSatisfy { $0[0].count == 10 })
        }

        /// What the places of the chart of a figure say, line by line.
        private func places(_ figure: String, _ page: PostbackClient.Answer) throws -> [[String]] {
            let section = try #require(
                page.text.components(separatedBy: "<section class=\"figure\" id=\"\(figure)\"").dropFirst().first?
                    .components(separatedBy: "</section>").first)
            return section.matches(of: /<text y="8">(.*?)<\/text>/).map { place in
                place.1.matches(of: /<tspan[^>]*>(.*?)<\/tspan>/).map { String($0.1) }
            }
        }

        @Test("A week of which only a part is in the range says how many of its days are")
        func partOfWeek() async throws {
            let installation = try await counted(installs(20..<40))
            let monday = try #require(
                try await installation.database.value("SELECT attribution.week(date '\(day(30))')"))
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            func weeks(_ first: Int, _ last: Int) async throws -> PostbackClient.Answer {
                let days = try await installation.database.value(
                    "SELECT concat('from=', date '\(monday)' + \(first), '&to=', date '\(monday)' + \(last))")
                return try await page.get("/windows?environment=test&currency=EUR&" + (days ?? ""))
            }
            let cut = try await weeks(-1, 8)
            #expect(try cut.cells("cohorts").map { $0[1] } == ["1 of 7", "7 of 7", "2 of 7"])
            #expect(cut.text.contains(" · 1 of 7</text>"))
            #expect(try await weeks(0, 6).cells("cohorts").map { Array($0[0...1]) } == [[monday, "7 of 7"]])
        }

        @Test("Shares of coarse values add up to 1 in each window")
        func coarseShares() async throws {
            func coarse(_ window: Int, _ value: String) -> (ago: Int, TestPostback) {
                (
                    5,
                    TestPostback {
                        ($0.sequenceIndex, $0.coarseConversionValue, $0.sourceAppID) = (window, value, nil)
                    }
                )
            }
            let installation = try await counted(
                [coarse(0, "low"), coarse(1, "low"), coarse(1, "low"), coarse(1, "low"), coarse(1, "high")]
                    + [coarse(2, "low")])
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            let values = try await page.get("/values?environment=test&app=525463029")
            #expect(
                try values.cells("coarse").map { $0[0...3].joined(separator: " ") } == [
                    "first window (0) low 1 1.000000", "second window (1) low 3 0.750000",
                    "second window (1) high 1 0.250000", "third window (2) low 1 1.000000",
                ])
            #expect(try values.cells("coarse").allSatisfy { $0.last == "EUR" })
            // A chart says it of each digit too, and the CSV has the digits of the report.
            #expect(values.text.contains("third window: low"))
            let csv = try await page.get("/values?environment=test&app=525463029&csv=coarse")
            #expect(csv.text.contains("\r\n2,low,1,"), "\(csv.text)")
            let windows = try await page.get("/windows?environment=test")
            #expect(
                windows.text.contains("4.0 · second window") && windows.text.contains(">Postbacks, third window (2)<"))
            #expect(!windows.text.contains(">Window 0<") && !windows.text.contains("4.0 · 1"))
        }

        @Test(
            "Cost and return says of installs and of revenue whether they are complete, and between which ends the cost is"
        )
        func costStates() async throws {
            let installation = try await counted(installs(8..<14))
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            try await installation.database.run(
                """
                INSERT INTO attribution.spend_daily
                       (day, ad_network_id, advertised_app_id, campaign_id, currency, spend, source_file, loaded_at)
                VALUES ('\(day(14))', 'example123.skadnetwork', 525463029, 'brand', 'EUR', 24, 'test', now());
                INSERT INTO attribution.campaign_mapping (ad_network_id, campaign_type, identifier, valid_from, campaign_id)
                VALUES ('example123.skadnetwork', 'source-identifier', '39', '2020-01-01', 'brand')
                """)
            _ = try await installation.succeed(["fold"])
            let range = (day(16), day(6))
            let answer = try await page.get(
                "/campaigns?by=cost&environment=test&currency=EUR&from=\(range.0)&to=\(range.1)")
            let cells = try #require(try answer.cells("cost").first)
            let expected = try await installation.database.value(
                """
                SELECT concat_ws(' ', installs, cost, cost_per_install_low, cost_per_install, cost_per_install_high)
                  FROM attribution.report_cost('\(range.0)', '\(range.1)', NULL, 'EUR', 'test') WHERE campaign_id = 'brand'
                """)
            #expect([1, 2, 12, 3, 13].map { cells[$0] }.joined(separator: " ") == expected, "\(cells)")
            #expect(cells[8] == "complete" && cells[9] == "not complete yet", "\(cells)")
            #expect(answer.text.contains(">Installs are<") && answer.text.contains(">Revenue is<"))
        }
    }
}
