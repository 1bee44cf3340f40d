import AdAttribution
import Foundation
import PostbackSimulation
import TestSupport
import Testing

/// A simulated quarter in an installation: three networks, five apps, two changes of scheme, all versions and windows.
///
/// It has raises, conflicts, developer copies, impressions, names, cost and rates.
///
/// Its files are in `Fixtures/Quarter`. Everything that a command can load is loaded by the command.
struct RecountedQuarter {
    let installation: Installation

    private static let copyNetworks = ["com.apple.ads", "another.skadnetwork"]
    private static let begin = 1_782_864_000_000  // 2026-07-01
    private static let day = 86_400_000

    /// The first half of the deliveries, most schemes, names and cost; then all of it is folded.
    func load() async throws {
        var settings = TimelineSettings()
        settings.installsADay = 14
        settings.campaigns = [20, 8, 4, 2]
        settings.sourceApps = [6, 2, 1]
        settings.countries = ["US": 5, "DE": 3]
        settings.silentWindowShare = 0.1
        settings.reengagedShare = 0.2
        settings.relayShare = 0.1
        settings.delayedShare = 0.05
        settings.privacy.thresholds = [1, 3, 5]
        try installation.write(
            Installation.keyRing(networks: settings.networks.map(\.adNetworkID), apps: settings.apps.map(\.appID)),
            to: "keyring.json")
        let archive = try await installation.keys.timeline(settings, seed: 12).archive()
        let lines = archive.network
        settings.networks = Self.copyNetworks.map { .init(adNetworkID: $0, weight: 1) }
        settings.installsADay = 4
        settings.days = 30
        settings.campaigns = [1, 1, 1, 1, 1, 1]
        let copies = try await installation.keys.timeline(settings, seed: 13).archive().copies
        let half = lines.count / 2
        try await importLines(copies + lines[..<half], to: "first.ndjson")
        try await makeDevelopment()
        for scheme in ["app1-first", "app1-second", "app1-third", "app2", "app3", "app4-first"] {
            try await installation.succeed(["scheme", "load", Self.path("scheme-\(scheme).json")])
        }
        try await installation.succeed(["mapping", "load", Self.path("mapping.csv")])
        try await installation.succeed(["spend", "rates", Self.path("rates.csv")])
        try installation.write(Self.spend, to: "spend.csv")
        try await installation.succeed(["spend", "load", installation.folder + "/spend.csv"])
        try await installation.succeed(["fold"])
        try await importLines(lines[half...] + Self.changed(lines) + recent(settings), to: "second.ndjson")
        try installation.write(Self.tampered(archive.copies), to: "copies.ndjson")
        try await installation.succeed(["reconcile", installation.folder + "/copies.ndjson"])
        try await makeProductionAndImpressions()
        try await sell()
        try await exchange()
    }

    /// Customers of the apps: in three environments and currencies or without a price, with renewals and refunds.
    ///
    /// The campaigns are small, so rows of fewer installs are allowed than an installation can allow.
    private func sell() async throws {
        try await installation.database.run(
            """
            ALTER TABLE attribution.store_settings DROP CONSTRAINT store_settings_minimum_installs_check;
            UPDATE attribution.store_settings SET minimum_installs = 2;
            INSERT INTO attribution.store_app_id (bundle_id, app_id)
            SELECT DISTINCT 'com.example.app' || advertised_app_id, advertised_app_id FROM attribution.line;
            INSERT INTO attribution.store_product (bundle_id, product_id)
            SELECT bundle_id, 'monthly' FROM attribution.store_app_id;
            INSERT INTO attribution.store_transaction (
                environment, transaction_id, original_transaction_id, product, purchased_at, originally_purchased_at,
                received_at, type, ownership, currency, price, revoked_at, revocation_percentage, reason, expires_at,
                signed_at, storefront, offer_discount_type, is_upgraded, revocation_type)
            SELECT (ARRAY['production', 'test', 'development'])[1 + number % 3],
                   concat_ws('-', product, number, renewal), concat_ws('-', product, number), product, began + renewal * interval '37 hours', began, now(),
                   'Auto-Renewable Subscription', CASE WHEN number % 17 = 0 THEN 'FAMILY_SHARED' ELSE 'PURCHASED' END,
                   -- Some have a price and no currency.
                   currency, CASE WHEN currency IS NOT NULL OR number % 5 = 0 THEN 1995 + 1000 * (number % 7) END,
                   CASE WHEN number % 11 = 0 THEN began + interval '10 days' END,
                   CASE WHEN number % 22 = 0 THEN 33333 END,
                   -- Of some nobody says whether Apple renewed them.
                   CASE WHEN number % 5 = 0 THEN NULL WHEN renewal > 0 THEN 'RENEWAL' ELSE 'PURCHASE' END,
                   CASE WHEN number % 10 > 0 THEN began + interval '30 days' END,
                   CASE WHEN number % 2 = 0 THEN began END, (ARRAY['USA', 'DEU', NULL, 'SWE'])[1 + number % 4],
                   CASE WHEN number % 13 = 0 AND currency IS NOT NULL THEN 'FREE_TRIAL' END,
                   number % 33 = 0, CASE WHEN number % 44 = 0 THEN 'FAMILY_REVOKE' END
              FROM attribution.store_product, generate_series(1, 900) AS number,
                   generate_series(0, number % 4) AS renewal, LATERAL (
                   SELECT timestamptz '2026-07-01 00:00Z' + number * interval '151 minutes' AS began,
                          (ARRAY['USD', 'EUR', 'USD', 'SEK', 'USD', NULL])[1 + number % 6] AS currency) AS sale;
            """)
    }

    /// What Apple said of tokens of Apple Ads: of installs with and without an ad, and of phones in developer mode.
    private func exchange() async throws {
        try await installation.database.run(
            """
            INSERT INTO attribution.apple_ads_attribution (
                digest, day, advertised_app_id, is_attributed, org_id, campaign_id, ad_group_id, country_or_region,
                conversion_type, claim_type)
            SELECT sha256(convert_to(concat_ws('-', app_id, number), 'UTF8')), date '2026-07-01' + number % 90, app_id,
                   true, CASE WHEN number % 7 = 0 THEN 1234567890 ELSE 40669820 END,
                   CASE WHEN number % 14 = 0 THEN 1234567890 ELSE 542370539 + number % 3 END,
                   CASE WHEN number % 4 > 0 THEN 542317095 + number % 2 END,
                   (ARRAY['US', 'DE', NULL])[1 + number % 3],
                   (ARRAY['Download', 'Redownload', 'Preorder', 'Rebuy'])[1 + number % 4],
                   (ARRAY['Click', 'Impression'])[1 + number % 2]
              FROM attribution.store_app_id, generate_series(1, 500) AS number
            UNION ALL
            SELECT sha256(convert_to(concat_ws('-', 'none', app_id, number), 'UTF8')),
                   date '2026-07-01' + number % 90, app_id, false, NULL, NULL, NULL, NULL, NULL, NULL
              FROM attribution.store_app_id, generate_series(1, 200) AS number;
            """)
    }

    /// What has arrived until now of the last weeks: days and windows that are not complete yet.
    private func recent(_ quarter: TimelineSettings) async throws -> [[UInt8]] {
        var settings = quarter
        settings.networks = TimelineSettings().networks
        settings.begin = Date(timeIntervalSinceNow: -50 * 86_400).formatted(.iso8601.year().month().day())
        settings.days = 50
        settings.installsADay = 3
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        return try await installation.keys.timeline(settings, seed: 14).archive().network.filter { line in
            let arrival = String(decoding: line, as: UTF8.self).firstMatch(of: /"received-at":(\d{13})\}$/)
            return arrival.flatMap { Int64($0.1) }.map { $0 < now } ?? false
        }
    }

    /// Loads a scheme for days that are over and folded, and folds what is left.
    func finish() async throws {
        try await installation.succeed(["scheme", "load", Self.path("scheme-app4-past.json")])
        try await installation.succeed(["fold"])
    }

    private func importLines(_ lines: some Sequence<[UInt8]>, to file: String) async throws {
        try await installation.succeed(["import", try installation.write(lines, to: file)])
    }

    private static func path(_ file: String) -> String {
        TestEnvironment.root + "Tests/PostbackServerTests/Fixtures/Quarter/" + file
    }

    /// Some deliveries once more, hours later, with another value.
    ///
    /// Nothing that is signed changes.
    private static func changed(_ lines: [[UInt8]]) -> [[UInt8]] {
        lines.enumerated().flatMap { number, bytes -> [[UInt8]] in
            let line = String(decoding: bytes, as: UTF8.self)
            let end = #","received-at":\d{13}\}$"#
            guard number % 3 == 0, let received = line.range(of: end, options: .regularExpression) else { return [] }
            let later = line.replacingCharacters(in: received, with: ",\"received-at\":\(begin + 120 * day + number)}")
            let fine = #""conversion-value":\d+"#
            let values: [String]
            if later.range(of: fine, options: .regularExpression) != nil {
                // A raise, one more raise, or a value of the other kind.
                let others =
                    number % 9 == 0 && !later.contains("coarse-conversion-value")
                    ? ["\"coarse-conversion-value\":\"high\""]
                    : ["\"conversion-value\":\(2 + number % 7)", "\"conversion-value\":\(10 + number % 5)"]
                values = others.map { later.replacing(/"conversion-value":\d+/, with: $0) }
            } else if later.contains("\"coarse-conversion-value\":\"low\"") {
                values = [
                    later.replacing("\"coarse-conversion-value\":\"low\"", with: "\"coarse-conversion-value\":\"high\"")
                ]
            } else if number % 2 == 0, !later.contains("conversion-value") {
                values = ["{\"conversion-value\":\(number % 12)," + later.dropFirst()]
            } else {
                values = []
            }
            return values.map { Array($0.utf8) }
        }
    }

    /// The developers' copies of the deliveries, of which some are missing, and some have a value that nobody sent.
    private static func tampered(_ copies: [[UInt8]]) -> String {
        copies.enumerated().filter { $0.offset % 11 > 0 }.map { number, bytes in
            let line = String(decoding: bytes, as: UTF8.self)
            guard number % 7 == 0 else { return line }
            return line.replacing(/"conversion-value":\d+/, with: "\"conversion-value\":\(number % 13)")
        }.joined(separator: "\n")
    }

    /// One of the networks becomes development, as its keys would make it, before anything is folded.
    private func makeDevelopment() async throws {
        try await installation.database.run(
            """
            UPDATE attribution.network SET environment = 'development' WHERE ad_network_id = 'another.skadnetwork';
            UPDATE attribution.line SET environment = network.environment
              FROM attribution.network WHERE network.network = line.network;
            """)
    }

    /// Two of the networks become production, as their keys would make them; and the service has signed impressions.
    private func makeProductionAndImpressions() async throws {
        try await installation.database.run(
            """
            UPDATE attribution.network SET environment = 'production'
             WHERE ad_network_id IN ('example123.skadnetwork', 'example789.adattributionkit', 'com.apple.ads');
            UPDATE attribution.line SET environment = network.environment
              FROM attribution.network WHERE network.network = line.network;
            INSERT INTO attribution.line (network, environment, protocol, ad_network_id, developer_copy, campaign_type,
                                          campaign, advertised_app_id)
            SELECT network, environment, protocol, ad_network_id, false, 'source-identifier', '9099', 525463029
              FROM attribution.network
             WHERE ad_network_id = 'example123.skadnetwork' AND protocol = 'skadnetwork';
            INSERT INTO attribution.campaign_daily AS stored (line, day, impressions)
            SELECT line, date '2026-06-25' + number, 40 + line * number % 77
              FROM attribution.line, generate_series(0, 100, 3) AS number
             WHERE NOT developer_copy AND (line + number) % 4 = 0
                ON CONFLICT (line, day) DO UPDATE SET impressions = excluded.impressions;
            """)
    }

    /// The cost of some campaigns: by ad group, by country, in three currencies, and of a campaign that no name has.
    private static var spend: String {
        let months: [(number: Int, days: Int)] = [(7, 31), (8, 31), (9, 30)]
        let days = months.flatMap { month -> [String] in
            (1...month.days).map { day -> String in
                let zero = day < 10 ? "0" : ""
                return "2026-0\(month.number)-\(zero)\(day)"
            }
        }
        let rows = days.enumerated().flatMap { number, day -> [String] in
            let cents = String(number * 37 % 100 + 100).suffix(2)
            var rows = [
                "example123.skadnetwork,525463029,1001,77,,USD,\(5 + number % 9).\(cents),\(900 + number),20,\(number % 5)",
                "example123.skadnetwork,525463029,1001,,DE,USD,1.\(cents)5,,,",
                "example123.skadnetwork,525463029,1004,,US,EUR,3.333333,100,4,1",
                "example123.skadnetwork,1234567891,2003,,,EUR,2.\(cents),,7,",
            ]
            if number % 2 == 0 { rows.append("example123.skadnetwork,525463029,9999,,,USD,0.5,10,,") }
            if number % 3 == 0 { rows.append("example789.adattributionkit,525463029,3001,,,JPY,\(300 + number),,,2") }
            if number == 40 { rows.append("example456.skadnetwork,525463029,4001,,,USD,0,,,") }
            return rows.map { day + "," + $0 }
        }
        let header =
            "day,ad_network_id,advertised_app_id,campaign_id,ad_group_id,country,currency,spend,impressions,clicks,installs"
        return ([header] + rows).joined(separator: "\n") + "\n"
    }
}
