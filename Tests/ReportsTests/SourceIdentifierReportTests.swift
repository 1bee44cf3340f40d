import AdAttribution
import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore

@Suite("Reports by source identifier", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct SourceIdentifierReportTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let keys: TestKeys
    private let day = PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000)

    init() throws {
        keys = try TestKeys()
    }

    private func delivery(_ day: Int64 = 0, _ change: (inout TestPostback) -> Void) throws -> PostbackDelivery {
        let postback = TestPostback {
            $0.version = "4.0"
            $0.sourceAppID = nil
            change(&$0)
        }
        let verified = try keys.verified(postback.body(keys.postbackKeyP256))
        let time = self.day.microsecondsSince2000 + day * 86_400_000_000
        return PostbackDelivery(verified, receivedAt: PostgresTimestamp(microsecondsSince2000: time))
    }

    @Test("Each postback counts in every level that it has enough digits for")
    func levels() async throws {
        let deliveries = try [
            delivery {
                $0.sourceIdentifier = "5239"
                $0.conversionValue = 10
            },
            delivery {
                $0.sourceIdentifier = "1239"
                $0.conversionValue = 20
                $0.redownload = true
            },
            delivery { $0.sourceIdentifier = "239" },
            delivery {
                $0.sourceIdentifier = "39"
                $0.coarseConversionValue = "high"
            },
            delivery {
                $0.sourceIdentifier = "39"
                $0.didWin = false
            },
            delivery {
                $0.sourceIdentifier = "39"
                $0.sequenceIndex = 1
                $0.coarseConversionValue = "low"
            },
            delivery { $0.sourceIdentifier = "7" },
            delivery { $0.sourceIdentifier = "05" },
        ]
        for result in await store.record(deliveries) { _ = try result.get() }
        let rows = try await database.column(
            """
            SELECT concat_ws(' ', digits, source_identifier, sequence_index, '|', postbacks, installs,
                             redownloads, assists, '|', fine, coarse, no_value,
                             coalesce(value_average::text, '-'), coarse_low, coarse_high, '|',
                             share_2_digits, share_3_digits, share_4_digits)
              FROM attribution.report_source_identifier_daily_all
             ORDER BY digits, source_identifier, sequence_index
            """)
        #expect(
            rows == [
                "1 7 0 | 1 1 0 0 | 0 0 1 - 0 0 | 0.0000 0.0000 0.0000",
                "2 05 0 | 1 1 0 0 | 0 0 1 - 0 0 | 1.0000 0.0000 0.0000",
                "2 39 0 | 4 3 1 1 | 2 1 1 15.0000 0 1 | 0.2500 0.2500 0.5000",
                "2 39 1 | 1 0 0 0 | 0 1 0 - 1 0 | 1.0000 0.0000 0.0000",
                "3 239 0 | 3 2 1 0 | 2 0 1 15.0000 0 0 | 0.0000 0.3333 0.6667",
                "4 1239 0 | 1 0 1 0 | 1 0 0 20.0000 0 0 | 0.0000 0.0000 1.0000",
                "4 5239 0 | 1 1 0 0 | 1 0 0 10.0000 0 0 | 0.0000 0.0000 1.0000",
            ])
        let production = try await database.column("SELECT digits FROM attribution.report_source_identifier")
        #expect(production == [])
        #expect(try await database.recount() == [])
    }

    @Test("For random postbacks of all windows and days, winning or not, the views equal a recount", arguments: [1, 2])
    func recount(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let identifiers = ["5239", "1239", "239", "39", "9", "0039", "5238"]
        let deliveries = try (0..<400).map { _ in
            try delivery(Int64.random(in: 0..<3, using: &random)) {
                $0.sourceIdentifier = identifiers.randomElement(using: &random) ?? "39"
                $0.didWin = Int.random(in: 0..<4, using: &random) > 0
                $0.sequenceIndex = Int.random(in: 0..<3, using: &random)
                $0.redownload = Bool.random(using: &random)
                $0.conversionValue = [nil, 0, 5, 63].randomElement(using: &random) ?? nil
                $0.coarseConversionValue = [nil, "low", "medium", "high"].randomElement(using: &random) ?? nil
            }
        }
        for result in await store.record(deliveries) { _ = try result.get() }
        for (view, days) in [("daily_all", "day,"), ("all", "min(day), max(day),")] {
            let group = days == "day," ? "day," : ""
            let recounted = """
                SELECT environment, protocol, digits, right(campaign, digits), sequence_index,
                       count(*) FILTER (WHERE did_win),
                       count(*) FILTER (WHERE did_win AND sequence_index = 0 AND NOT redownload),
                       count(*) FILTER (WHERE did_win AND sequence_index = 0 AND redownload),
                       count(*) FILTER (WHERE NOT did_win),
                       count(conversion_value) FILTER (WHERE did_win),
                       count(coarse_value) FILTER (WHERE did_win),
                       count(*) FILTER (WHERE did_win AND conversion_value IS NULL AND coarse_value IS NULL),
                       round(avg(conversion_value) FILTER (WHERE did_win), 4),
                       count(*) FILTER (WHERE coarse_value = 'medium'),
                       round((count(*) FILTER (WHERE did_win AND length(campaign) = 3))::numeric
                             / nullif(count(*) FILTER (WHERE did_win), 0), 4), \(days) 0
                  FROM (SELECT *, (received_at AT TIME ZONE 'UTC')::date AS day FROM attribution.postback) AS p
                 CROSS JOIN LATERAL generate_series(least(length(campaign), 2), length(campaign)) AS digits
                 GROUP BY \(group) environment, protocol, digits, right(campaign, digits), sequence_index
                """
            let reported = """
                SELECT environment, protocol, digits, source_identifier, sequence_index, postbacks, installs,
                       redownloads, assists, fine, coarse, no_value, value_average,
                       coarse_medium, share_3_digits, \(group.isEmpty ? "first_seen, last_seen," : group) 0
                  FROM attribution.report_source_identifier_\(view)
                """
            let differences = try await database.column(
                """
                SELECT d FROM ((\(recounted) EXCEPT ALL \(reported))
                               UNION ALL (\(reported) EXCEPT ALL \(recounted))) AS d
                """)
            #expect(differences == [])
        }
        let rows = try await database.value("SELECT count(*) > 30 FROM attribution.report_source_identifier_daily_all")
        #expect(rows == "true")
    }
}
