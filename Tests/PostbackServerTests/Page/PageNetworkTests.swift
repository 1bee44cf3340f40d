import AdAttribution
import Foundation
import TestSupport
import Testing

extension ServerPageTests {
    /// A network with an id for each protocol, beside another network with the same app and identifier.
    @Suite("The filter on the network", .installation)
    struct PageNetworkTests {
        /// A network by its name: what it brought, what it cost, and the campaign that the mapping gives it.
        private struct Network {
            let name: String
            let ids: [String]
            let campaign: String
            let installs: Int
            let spend: Decimal
            /// Five dollars an install, divided by the spend.
            var expectedReturn: Decimal { Decimal(5 * installs) / spend }
            let refused: Int
        }

        private static let both = Network(
            name: "example123", ids: ["example123.adattributionkit", "example123.skadnetwork"], campaign: "brand",
            installs: 5, spend: 100, refused: 2)
        private static let other = Network(
            name: "com.example", ids: ["com.example"], campaign: "other", installs: 4, spend: 1_000, refused: 1)

        /// Each figure that is filtered, with the column that counts installs: each has one postback.
        private static let figures = [
            ("/?", "installs", "installs"), ("/?", "missing", "postbacks"), ("/?", "top", "installs"),
            ("/?", "intake", "received"), ("/campaigns?by=network&", "networks", "installs"),
            ("/campaigns?by=campaign&", "campaigns", "installs"),
            ("/campaigns?by=identifier&", "identifiers", "installs"),
            ("/campaigns?by=source&", "sources", "installs"), ("/campaigns?by=cost&", "cost", "installs"),
            ("/campaigns?by=modelled&", "modelled", "postbacks"), ("/values?", "fine", "postbacks"),
            ("/windows?", "versions", "postbacks"), ("/windows?", "cohorts", "postbacks_0"),
            ("/campaign?", "installs", "installs"), ("/campaign?", "identifiers", "installs"),
            ("/campaign?", "sources", "installs"), ("/campaign?", "fine", "postbacks"),
        ]

        /// The day so many days ago, UTC.
        private static func day(_ ago: Int) -> String {
            String(Date(timeIntervalSinceNow: -86_400 * Double(ago)).ISO8601Format().prefix(10))
        }

        /// Postbacks of three ids from 16 to 18 days ago, with spend of these days, a mapping and a scheme.
        private func page() async throws -> PageClient {
            let installation = try Installation.current
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            let times = (16...18).map { (ago: Int64) in "\(now - ago * 86_400_000)" }
            let key = installation.keys.postbackKeyP256
            func signed(_ network: String, _ time: String) throws -> [UInt8] {
                try TestPostback {
                    ($0.version, $0.adNetworkID, $0.conversionValue) = ("4.0", network, 7)
                    $0.unsigned["received-at"] = time
                }.body(key)
            }
            var bodies = try times.map { try signed("example123.skadnetwork", $0) }
            bodies += try times.prefix(2).map { time in
                try TestAdAttributionKitPostback {
                    $0.envelope["conversion-value"] = "7"
                    $0.envelope["received-at"] = time
                }.body(key)
            }
            bodies += try (times + times.prefix(1)).map { try signed("com.example", $0) }
            try installation.write(
                """
                {"app-id": 525463029, "name": "s", "valid-from": "2020-01-01T00:00:00Z", "currency": "USD", "fine": [
                 {"value": 7, "events": [{"name": "purchase", "revenue": {"from": 5, "to": 5}}]}]}
                """, to: "scheme.json")
            _ = try await installation.succeed(["scheme", "load", installation.folder + "/scheme.json"])
            _ = try await installation.succeed(["import", installation.write(bodies, to: "archive.ndjson")])
            // Spend of one network has both of its ids, and the mapping has one of them.
            try await installation.database.run(
                """
                INSERT INTO attribution.spend_daily
                       (day, ad_network_id, advertised_app_id, campaign_id, currency, spend, source_file, loaded_at)
                VALUES ('\(Self.day(16))', 'example123.skadnetwork', 525463029, 'brand', 'USD', 60, 'test', now()),
                       ('\(Self.day(17))', 'example123.adattributionkit', 525463029, 'brand', 'USD', 40, 'test', now()),
                       ('\(Self.day(17))', 'com.example', 525463029, 'other', 'USD', 1000, 'test', now());
                INSERT INTO attribution.campaign_mapping
                       (ad_network_id, campaign_type, identifier, valid_from, campaign_id, campaign_name)
                VALUES ('example123.skadnetwork', 'source-identifier', '39', '2020-01-01', 'brand', 'Brand'),
                       ('com.example', 'source-identifier', '39', '2020-01-01', 'other', 'Other')
                """)
            _ = try await installation.succeed(["fold"])
            let page = try await PageClient.start(on: installation)
            try await page.signIn()
            return page
        }

        /// The address of a screen with a filter on the network.
        private func address(_ path: String, _ text: String, _ network: Network) -> String {
            let campaign = path.hasPrefix("/campaign?") ? "campaign=id%3A\(network.campaign)&" : ""
            return "\(path)\(campaign)environment=test&currency=USD&from=\(Self.day(29))&to=\(Self.day(0))"
                + "&network=\(text)"
        }

        /// The cells of a column of a CSV.
        private func column(
            _ name: String, _ figure: String, _ address: String, _ page: PageClient
        ) async throws -> [String] {
            let answer = try await page.get(address + "&csv=" + figure)
            try #require(answer.status == 200, "\(address) \(answer.text)")
            let lines = answer.text.split(separator: "\r\n").map { line in
                line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
            let place = try #require(lines.first?.firstIndex(of: name), "\(figure) \(name)")
            return try lines.dropFirst().map { cells in
                try #require(cells.indices.contains(place), "\(cells)")
                return cells[place]
            }
        }

        /// The exact number of the tile *Installs*.
        private func installs(_ page: PostbackClient.Answer) -> String? {
            page.text.components(separatedBy: "<dt>Installs</dt>").dropFirst().first?
                .firstMatch(of: /<strong data-value="([^"]*)">/).map { String($0.1) }
        }

        /// The addresses to which a page leads.
        private func links(_ page: PostbackClient.Answer) -> [String] {
            page.text.matches(of: /href="([^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
        }

        /// The network that an address chooses; nil if it chooses none.
        private func network(_ address: String) -> String? {
            URLComponents(string: address)?.queryItems?.first { $0.name == "network" }?.value
        }

        @Test("With the name or an id of a network, each figure is of all of its ids, and each link keeps it")
        func oneNetwork() async throws {
            let page = try await page()
            for network in [Self.both, Self.other] {
                for text in [network.name] + network.ids + ["\(network.name.uppercased()).SKAdNetwork"] {
                    for (path, figure, name) in Self.figures {
                        let cells = try await column(name, figure, address(path, text, network), page)
                        let sum = cells.compactMap { Int($0) }.reduce(0, +)
                        #expect(sum == network.installs, "\(text) \(path) \(figure) \(cells)")
                    }
                    try await money(text, network, page)
                    for path in Set(Self.figures.map(\.0)) {
                        try await links(address(path, text, network), network, page)
                    }
                }
                // Who wants to see one protocol finds the ids.
                let rows = try await column(
                    "ad_network_id", "networks", address("/campaigns?by=network&", network.name, network), page)
                #expect(rows.sorted() == network.ids)
            }
        }

        /// Spend and returns are of the same network as installs.
        private func money(_ text: String, _ network: Network, _ page: PageClient) async throws {
            for (path, figure, spend, returned) in [
                ("/?", "totals", "spend", "return"), ("/campaign?", "totals", "spend", nil),
                ("/campaigns?by=cost&", "cost", "cost", "roas_0_middle"),
            ] as [(String, String, String, String?)] {
                let address = address(path, text, network)
                // The first row of totals is that of complete days, which have all installs.
                let cost = try await column(spend, figure, address, page).first
                #expect(cost.flatMap { Decimal(string: $0) } == network.spend, "\(text) \(path)")
                guard let returned else { continue }
                let share = try await column(returned, figure, address, page).first
                #expect(share.flatMap { Decimal(string: $0) } == network.expectedReturn, "\(text) \(path)")
            }
        }

        /// All links of a screen have its network; those to a campaign lead to the same installs.
        private func links(_ address: String, _ network: Network, _ page: PageClient) async throws {
            let answer = try await page.get(address)
            try #require(answer.status == 200, "\(address) \(answer.text)")
            let hasTile = address.hasPrefix("/?") || address.hasPrefix("/campaign?")
            #expect(!hasTile || installs(answer) == "\(network.installs)", "\(address)")
            // The list of the filter has each network once.
            for name in [Self.both.name, Self.other.name] {
                #expect(answer.text.contains("<option value=\"\(name)\""), "\(address)")
            }
            #expect(!answer.text.contains("<option value=\"\(Self.both.name)."), "\(address)")
            let all = links(answer)
            for link in all {
                // The bar of screens keeps the text of the address, which may be an id.
                guard let text = self.network(link) else { continue }
                #expect(AdNetworkID(text)?.matchingForm == network.name, "\(address) \(link)")
            }
            let campaigns = all.filter { $0.hasPrefix("/campaign?") && !$0.contains("csv=") }
            #expect(campaigns.allSatisfy { self.network($0) == network.name }, "\(address) \(campaigns)")
            let paths = ["/?", "/campaigns?by=campaign&", "/campaigns?by=cost&"]
            guard paths.contains(where: { address.hasPrefix($0) }) else { return }
            let campaign = try await page.get(try #require(campaigns.first, "\(address)"))
            #expect(installs(campaign) == "\(network.installs)", "\(address) \(campaigns)")
        }

        @Test("Refused bodies and copies are of all ids of the network that the filter names")
        func others() async throws {
            let installation = try Installation.current
            let page = try await page()
            let lines = (Self.both.ids + Self.other.ids).map { id in
                Array("{\"version\":\"2.0\",\"ad-network-id\":\"\(id)\",\"received-at\":1790000000000}".utf8)
            }
            let imported = try await installation.run(["import", installation.write(lines, to: "refused.ndjson")])
            #expect(imported.code == 65, "\(imported.errors)")
            for network in [Self.both, Self.other] {
                for text in [network.name] + network.ids {
                    let list = try await page.get("/refused?network=\(text)")
                    #expect(list.text.contains("\(network.refused) of 3 bodies fit the filters."), "\(text)")
                    let copies = try await page.get(address("/copies?", text, network))
                    let ids = AdNetworkID.identifiers(matching: network.name).map { "'\($0)'" }.joined(separator: ", ")
                    for figure in ["agreement", "differences"] {
                        #expect(try copies.sql(figure).contains(" IN (\(ids))"), "\(text) \(figure)")
                    }
                }
            }
        }
    }
}
