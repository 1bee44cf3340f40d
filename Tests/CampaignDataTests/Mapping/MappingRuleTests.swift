import CampaignData
import TestSupport
import Testing

@testable import AdAttribution
@testable import CampaignData
@testable import PostbackStore

@Suite(
    "Which mapping row names a postback", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct MappingRuleTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    @Test("More digits win over a country, a country over a source app, that over an app, that over a protocol")
    func specificity() async throws {
        let rows = [
            MappingFiles.group("39", "any"), MappingFiles.group("39", "protocol", ["protocol": "skadnetwork"]),
            MappingFiles.group("39", "app", ["advertised_app_id": "1"]),
            MappingFiles.group("39", "source", ["source_app": "22"]),
            MappingFiles.group("39", "country", ["country": "US"]),
            MappingFiles.group(
                "39", "below", ["source_app": "33", "advertised_app_id": "1", "protocol": "skadnetwork"]),
            MappingFiles.group("239", "digits", ["advertised_app_id": "2"]),
            MappingFiles.group("5239", "all digits", ["advertised_app_id": "2"]),
            MappingFiles.group("9", "one digit"),
        ]
        _ = try await store.load(MappingFiles.read(MappingFiles.csv(rows)))
        let day = "2026-11-22"
        #expect(try await database.campaign("39", day, app: 9, attributionProtocol: "adattributionkit") == "any")
        #expect(try await database.campaign("39", day, app: 9) == "protocol")
        #expect(try await database.campaign("39", day, app: 1) == "app")
        #expect(try await database.campaign("39", day, source: "22") == "source")
        #expect(try await database.campaign("5239", day, country: "US", source: "33") == "country")
        #expect(try await database.campaign("39", day, country: "DE", source: "33") == "below")
        #expect(try await database.campaign("39", day, app: 2, country: "US") == "country")
        #expect(try await database.campaign("239", day, app: 2, country: "US") == "digits")
        #expect(try await database.campaign("1239", day, app: 2) == "digits")
        #expect(try await database.campaign("5239", day, app: 2) == "all digits")
        #expect(try await database.campaign("5239", day, app: 1) == "app")
        // A group of one digit is for identifiers of one digit only, as in the reports.
        #expect(try await database.campaign("9", day) == "one digit")
        #expect(try await database.campaign("49", day) == nil)
        #expect(try await database.campaign("39", day, network: "com.example.adattributionkit") == "app")
        #expect(try await database.campaign("39", day, network: "com.other") == nil)
        #expect(try await database.campaign("39", day, type: "campaign-id") == nil)
    }

    @Test("A row names from its first day to the end of the cool-down, or until the next one begins")
    func days() async throws {
        let rows = [
            MappingFiles.group("39", "a", ["valid_from": "2026-10-01", "valid_to": "2026-10-10"]),
            MappingFiles.group(
                "39", "b", ["valid_from": "2026-11-01", "valid_to": "2026-11-10", "cool_down_days": "5"]),
        ]
        _ = try await store.load(MappingFiles.read(MappingFiles.csv(rows)))
        let expected = [
            ("2026-09-30", nil), ("2026-10-01", "a"), ("2026-10-10", "a"), ("2026-10-31", "a"),
            ("2026-11-01", "b"), ("2026-11-15", "b"), ("2026-11-16", nil),
        ]
        for (day, campaign) in expected {
            #expect(try await database.campaign("1239", day) == campaign, "\(day)")
        }
    }

    @Test("The four placements of Apple Ads are built in, and a row of the operator wins over them")
    func builtIn() async throws {
        let names = try await database.column(
            "SELECT identifier || ' ' || campaign_name FROM attribution.campaign_mapping ORDER BY 1")
        #expect(
            names == [
                "10 Apple Ads: search results", "20 Apple Ads: Search tab", "30 Apple Ads: Today tab",
                "40 Apple Ads: product pages",
            ])
        func apple(_ day: String) async throws -> String? {
            try await database.campaign("10", day, network: "com.apple.ads", type: "campaign-id")
        }
        #expect(try await apple("2025-04-09") == nil)
        #expect(try await apple("2026-11-22") == "10")
        let own = [
            "ad_network_id": "com.apple.ads", "campaign_type": "campaign-id", "identifier": "10",
            "campaign_id": "mine", "valid_from": "2026-01-01",
        ]
        _ = try await store.load(MappingFiles.read(MappingFiles.csv([own])), replacing: true)
        #expect(try await apple("2026-11-22") == "mine")
        #expect(try await apple("2025-12-31") == "10")
    }

    @Test("The intervals of lines give the same row as a look-up for each day, country and source, and never overlap")
    func intervals() async throws {
        try await database.run(Self.randomMapping)
        let count = try await database.value("SELECT count(*) FROM attribution.campaign_mapping WHERE NOT is_built_in")
        #expect(try #require(Int(count ?? "")) > 150)
        try await database.run(Self.postbacks)
        let differences = """
            WITH looked_up AS (
                SELECT *, attribution.campaign_mapping_of(ad_network_id, protocol, campaign_type, campaign,
                                                          advertised_app_id, country, source_app, day) AS mapping
                  FROM public.seen
            ), joined AS (
                SELECT seen.line, seen.country, seen.source_app, seen.day, m.mapping
                  FROM public.seen
                  LEFT JOIN attribution.line_mapping('2026-10-01', '2026-10-20') AS m
                         ON m.line = seen.line AND seen.day BETWEEN m.from_day AND m.to_day
                        AND attribution.mapping_covers(m.country, m.other_countries, seen.country)
                        AND attribution.mapping_covers(m.source_app, m.other_source_apps, seen.source_app)
            )
            SELECT concat_ws(' ', l.line, l.country, l.source_app, l.day, l.mapping, j.count, j.mapping)
              FROM looked_up AS l
              JOIN (SELECT line, country, source_app, day, count(*), min(mapping) AS mapping
                      FROM joined GROUP BY line, country, source_app, day) AS j
                ON (j.line, j.day) = (l.line, l.day)
               AND (j.country, j.source_app) IS NOT DISTINCT FROM (l.country, l.source_app)
             WHERE j.count <> 1 OR j.mapping IS DISTINCT FROM l.mapping
            """
        #expect(try await database.column(differences) == [])
        #expect(try await database.value("SELECT count(*) FROM public.seen") == "28800")
        #expect(
            try await database.value(
                """
                SELECT count(*) FROM (
                    SELECT DISTINCT attribution.campaign_mapping_of(ad_network_id, protocol, campaign_type, campaign,
                           advertised_app_id, country, source_app, day) FROM public.seen) AS used
                """
            ).flatMap { Int($0) } ?? 0 > 60)
        let app = """
            SELECT DISTINCT line.advertised_app_id
              FROM attribution.line_mapping('2026-10-01', '2026-10-20', 1) JOIN attribution.line USING (line)
            """
        #expect(try await database.column(app) == ["1"])
    }

    /// Rows of every specificity, with days that can't tie.
    private static let randomMapping = """
        SELECT setseed(0.12);
        INSERT INTO attribution.campaign_mapping
               (ad_network_id, campaign_type, identifier, country, source_app, advertised_app_id, protocol, valid_from,
                valid_to, cool_down_days, campaign_id)
        SELECT DISTINCT ON (1, 2, 3, 4, 5, 6, 7, 8)
               (ARRAY['a.skadnetwork', 'b.adattributionkit'])[1 + floor(random() * 2)],
               'source-identifier', (ARRAY['39', '239', '5239', '1239', '40', '040', '9'])[1 + floor(random() * 7)],
               (ARRAY['US', 'DE', NULL, NULL])[1 + floor(random() * 4)],
               (ARRAY['7', 'x.com', NULL, NULL])[1 + floor(random() * 4)],
               (ARRAY[1, 2, NULL, NULL])[1 + floor(random() * 4)],
               (ARRAY['skadnetwork', NULL, NULL, NULL])[1 + floor(random() * 4)],
               date '2026-09-20' + 10 * floor(random() * 4)::integer, NULL::date, 45, n::text
          FROM generate_series(1, 400) AS n
         ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, n;
        -- Some end before the next one could begin, with cool-downs that reach into it.
        UPDATE attribution.campaign_mapping
           SET valid_to = valid_from + 4, cool_down_days = (mapping % 4) * 3
         WHERE mapping % 3 = 0 AND NOT is_built_in;
        """

    /// Lines, and for each of them days, countries and sources.
    private static let postbacks = """
        INSERT INTO attribution.network VALUES
            (1, 'production', 'skadnetwork', 'a.skadnetwork'), (2, 'production', 'adattributionkit', 'a.adattributionkit'),
            (3, 'production', 'skadnetwork', 'b');
        INSERT INTO attribution.line
        SELECT row_number() OVER (), network, environment, protocol, ad_network_id, false, 'source-identifier', campaign,
               app
          FROM attribution.network,
               unnest(ARRAY['39', '239', '5239', '1239', '4239', '40', '040', '9', '49', '77']) AS campaign,
               generate_series(1, 4) AS app;
        CREATE TABLE public.seen AS
        SELECT line.line, line.protocol, line.ad_network_id, line.campaign_type, line.campaign, line.advertised_app_id,
               country, source_app, day::date AS day
          FROM attribution.line, unnest(ARRAY['US', 'DE', 'FR', NULL]) AS country,
               unnest(ARRAY['7', 'x.com', NULL]) AS source_app,
               generate_series(timestamp '2026-10-01', '2026-10-20', interval '1 day') AS day;
        """
}
