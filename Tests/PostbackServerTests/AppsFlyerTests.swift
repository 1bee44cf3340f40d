import Foundation
import PostgresClient
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Views with AppsFlyer's names")
    struct AppsFlyerTests {
        private let database = TestDatabase.current

        private static let postbacks = """
            app_id skad_ad_network_id skad_campaign_id skad_conversion_value skad_version skad_transaction_id
            ad_network_campaign_id ad_network_campaign_name skad_redownload skad_source_app_id country_code city
            postal_code dma ip region timestamp ad_network_timestamp skad_attribution_signature ad_network_adset_name
            ad_network_adset_id ad_network_ad_name ad_network_ad_id ad_network_source_app_id did_win fidelity_type
            ad_network_channel af_prt skad_app_id skad_postback_sequence_index skad_coarse_conversion_value
            skad_source_identifier skad_source_domain ad_network_creative
            """
        private static let copies = """
            app_id skad_ad_network_id skad_campaign_id skad_conversion_value skad_version skad_transaction_id
            skad_redownload skad_source_app_id timestamp skad_attribution_signature did_win fidelity_type skad_app_id
            skad_postback_sequence_index skad_coarse_conversion_value skad_source_identifier skad_source_domain
            """
        private static let decoded = """
            app_id skad_ad_network_id skad_campaign_id skad_conversion_value skad_version skad_transaction_id
            ad_network_campaign_id ad_network_campaign_name skad_redownload skad_source_app_id country_code city
            postal_code dma ip region timestamp ad_network_timestamp skad_attribution_signature ad_network_adset_name
            ad_network_adset_id ad_network_ad_name ad_network_ad_id ad_network_source_app_id skad_did_win
            skad_fidelity_type install_date install_type media_source event_name skad_revenue event_uuid
            skad_ambiguous_event skad_mode event_value ad_network_channel af_prt min_revenue max_revenue
            min_event_counter max_event_counter min_time_post_install max_time_post_install interval measurement_window
            user_agent af_attribution_flag skad_app_id skad_postback_sequence_index skad_coarse_conversion_value
            skad_source_identifier skad_source_domain ad_network_creative
            """

        /// The topics with their columns.
        private static let topics = [
            ("skad_postbacks", postbacks), ("skad_postbacks_copy", copies), ("skad_installs", decoded),
            ("skad_redownloads", decoded), ("skad_inapps", decoded),
        ]

        /// Columns that nothing here knows, and those that say who delivered a postback.
        private static let unknown: Set = [
            "city", "postal_code", "dma", "region", "skad_mode", "event_value", "ad_network_channel", "af_prt",
            "interval", "ip", "user_agent",
        ]
        /// Those of events, which the postbacks of installs do not have.
        private static let ofEvents: Set = [
            "skad_revenue", "min_revenue", "max_revenue", "min_event_counter", "max_event_counter",
            "min_time_post_install", "max_time_post_install",
        ]

        @Test(
            "Each topic has AppsFlyer's columns, and with _all also the environment and whether it is a copy", .database
        )
        func columns() async throws {
            for (topic, columns) in Self.topics {
                let expected = columns.split { $0 == " " || $0 == "\n" }.map(String.init)
                for (name, first) in [(topic, []), (topic + "_all", ["environment", "developer_copy"])] {
                    let found = try await database.column(
                        """
                        SELECT attname FROM pg_attribute
                         WHERE attrelid = 'appsflyer.\(name)'::regclass AND attnum > 0 ORDER BY attnum
                        """)
                    #expect(found == first + expected, "\(name)")
                }
            }
            let views = try await database.value(
                "SELECT count(*) FROM pg_class WHERE relnamespace = 'appsflyer'::regnamespace AND relkind = 'v'")
            #expect(views == "10")
        }

        @Test("Each view, column and function has a comment", .database)
        func comments() async throws {
            let bare = try await database.column(
                """
                SELECT attrelid::regclass || '.' || attname
                  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
                 WHERE attnum > 0 AND col_description(attrelid, attnum) IS NULL
                   AND (relnamespace = 'appsflyer'::regnamespace
                        OR attrelid = 'attribution.appsflyer_postback'::regclass)
                UNION ALL
                SELECT oid::regclass::text FROM pg_class
                 WHERE obj_description(oid, 'pg_class') IS NULL
                   AND (relnamespace = 'appsflyer'::regnamespace
                        OR oid = 'attribution.appsflyer_postback'::regclass)
                UNION ALL
                SELECT oid::regproc::text FROM pg_proc
                 WHERE pronamespace = 'attribution'::regnamespace AND obj_description(oid, 'pg_proc') IS NULL
                   AND proname IN ('body_signature', 'appsflyer_record_id')
                """)
            #expect(bare == [])
        }

        @Test(
            "A query reads bodies, schemes and names only for the columns that need them",
            .database,
            arguments: [
                ("count(*)", []), ("skad_campaign_id, media_source, \"timestamp\"", []),
                ("skad_attribution_signature", ["postback_body"]), ("ip, user_agent", []),
                ("install_date", ["conversion_scheme"]), ("ad_network_campaign_name", ["campaign_mapping mapping"]),
                (
                    "skad_attribution_signature, skad_ambiguous_event, ad_network_ad_id",
                    ["postback_body", "conversion_scheme", "campaign_mapping mapping"]
                ),
            ] as [(String, [String])])
        func plans(columns: String, tables: [String]) async throws {
            let plan = try await database.withPool(size: 1) { pool in
                try await pool.withConnection { connection in
                    try connection.query(
                        PostgresStatement("plan", "EXPLAIN SELECT \(columns) FROM appsflyer.skad_installs")
                    )
                    .map { try $0.decode(String.self, at: 0) }.joined(separator: "\n")
                }
            }
            for table in ["postback_body", "conversion_scheme", "campaign_mapping mapping"] {
                #expect(plan.contains(table) == tables.contains(table), "\(table): \(plan)")
            }
        }

        @Test("Topics have the rows that the truth of a quarter says; production alone, all with _all, copies apart")
        func quarter() async throws {
            try await SimulatedQuarter.with(seed: 22, hasCopies: true) { quarter in
                try await quarter.database.run(Self.production)
                try await rows(quarter)
                try await environments(quarter)
                try await events(quarter)
                try await names(quarter)
                try await emptyColumns(quarter)
                try await currency(quarter)
            }
        }

        /// Two networks and the copies count as production.
        ///
        /// The campaigns of one have names, and new ones later.
        private static let production = """
            UPDATE attribution.line SET environment = 'production' WHERE ad_network_id NOT LIKE 'example789%';
            UPDATE attribution.postback_body SET source_address = '192.0.2.7', user_agent = 'device';
            INSERT INTO attribution.campaign_mapping (
                ad_network_id, campaign_type, identifier, valid_from, campaign_id, campaign_name, ad_group_id,
                ad_group_name, creative_id, creative_name, geo)
            SELECT 'example123.skadnetwork', campaign_type, identifier, day, prefix || ' ' || identifier, 'a', 'b', 'c',
                   'd', 'e', 'DE'
              FROM (SELECT DISTINCT campaign_type, right(campaign, 2) AS identifier
                      FROM attribution.line WHERE ad_network_id = 'example123.skadnetwork') AS campaign,
                   (VALUES (date '-infinity', 'old'), ('2026-08-16', 'new')) AS era (day, prefix);
            ANALYZE
            """

        private static let row = """
            concat_ws(' ', skad_transaction_id, skad_ad_network_id, app_id, skad_app_id, skad_version,
                      skad_postback_sequence_index, skad_did_win, coalesce(skad_redownload::text, '-'),
                      coalesce(skad_conversion_value::text, skad_coarse_conversion_value, '-'),
                      (extract(epoch FROM "timestamp") * 1000)::bigint, coalesce(skad_campaign_id, '-'),
                      coalesce(right(skad_source_identifier, 2), '-'))
            """

        /// What a row must say of a postback.
        private static func row(_ truth: TimelineTruth) -> String {
            let redownload = truth.version == "1.0" ? "-" : String(truth.conversionType == "redownload")
            return [
                truth.transactionID.lowercased(), truth.adNetworkID, "id\(truth.appID)", "\(truth.appID)",
                truth.version ?? "adattributionkit", "\(truth.sequenceIndex)", truth.didWin ? "t" : "f", redownload,
                truth.sentFine.map(String.init) ?? truth.sentCoarse ?? "-", "\(truth.receivedAt)",
                truth.hasWindows ? "-" : "\(truth.campaignID)",
                truth.hasWindows ? String((truth.sourceIdentifier ?? "").suffix(2)) : "-",
            ].joined(separator: " ")
        }

        private func rows(_ quarter: SimulatedQuarter) async throws {
            let truth = quarter.truth.filter { !$0.adNetworkID.hasPrefix("example789") }
            let first = truth.filter { $0.didWin && $0.sequenceIndex == 0 && $0.conversionType != "re-engagement" }
            // 1.0 does not say what is a redownload.
            let redownloads = first.filter { $0.conversionType == "redownload" && $0.version != "1.0" }
            let installs = first.filter { $0.conversionType == "download" || $0.version == "1.0" }
            let row = Self.row.replacing("skad_did_win", with: "did_win")
            for (topic, row, expected) in [
                ("skad_postbacks", row, truth), ("skad_installs", Self.row, installs),
                ("skad_redownloads", Self.row, redownloads),
            ] {
                let rows = try await quarter.database.column("SELECT \(row) FROM appsflyer.\(topic)").compactMap { $0 }
                #expect(rows.count == expected.count && rows.count > 100, "\(topic)")
                #expect(Set(rows) == Set(expected.map(Self.row)), "\(topic)")
            }
        }

        private func environments(_ quarter: SimulatedQuarter) async throws {
            for topic in ["skad_postbacks", "skad_installs", "skad_redownloads", "skad_inapps"] {
                let names = try await quarter.database.column(
                    "SELECT DISTINCT skad_ad_network_id FROM appsflyer.\(topic) ORDER BY 1")
                #expect(names == ["example123.skadnetwork", "example456.skadnetwork"], "\(topic)")
                let all = try await quarter.database.column(
                    """
                    SELECT DISTINCT concat_ws(' ', environment, developer_copy, skad_ad_network_id)
                      FROM appsflyer.\(topic)_all ORDER BY 1
                    """)
                #expect(
                    all == [
                        "production f example123.skadnetwork", "production f example456.skadnetwork",
                        "production t \(SimulatedQuarter.copied)", "test f example789.adattributionkit",
                    ], "\(topic)")
            }
            let copies = """
                SELECT count(*) FROM appsflyer.skad_postbacks_copy
                 WHERE skad_ad_network_id = '\(SimulatedQuarter.copied)'
                """
            let all = "SELECT count(*) FROM appsflyer.skad_postbacks_copy_all"
            let stored = "SELECT count(*) FROM attribution.postback WHERE developer_copy"
            let count = try await quarter.database.value(stored)
            #expect(try await quarter.database.value(copies) == count && count != "0")
            #expect(try await quarter.database.value(all) == count)
            let set = "UPDATE attribution.line SET environment ="
            try await quarter.database.run("\(set) 'test' WHERE developer_copy")
            #expect(try await quarter.database.value(copies) == "0")
            #expect(try await quarter.database.value(all) == count)
            try await quarter.database.run("\(set) 'production' WHERE developer_copy")
            let signatures = try await quarter.database.column(
                """
                SELECT md5(string_agg(row, ' ' ORDER BY row))
                  FROM (SELECT 1 AS side, concat_ws(' ', skad_transaction_id, skad_postback_sequence_index, did_win,
                                                    skad_attribution_signature) AS row
                          FROM appsflyer.skad_postbacks
                        UNION ALL
                        SELECT 2, concat_ws(' ', transaction_id, sequence_index, did_win,
                                            payload ->> 'attribution-signature',
                                            regexp_replace(payload ->> 'jws-string', '.*[.]', ''))
                          FROM attribution.postback
                         WHERE environment = 'production' AND NOT developer_copy) AS rows
                 GROUP BY side
                """)
            #expect(signatures.count == 2 && Set(signatures).count == 1)
        }

        /// Each mapped value has its events with the truth in their ranges; no other value has any.
        private func events(_ quarter: SimulatedQuarter) async throws {
            let joined = """
                FROM compared
                LEFT JOIN appsflyer.skad_inapps_all AS event
                       ON skad_transaction_id = transaction_id::text AND sequence_index = skad_postback_sequence_index
                      AND did_win = skad_did_win
                 WHERE NOT delayed
                """
            for rule in [
                "event_uuid IS NULL OR decoding = 'mapped'",
                "decoding IS DISTINCT FROM 'mapped' OR event_uuid IS NOT NULL OR revenue = 0",
                "event_uuid IS NULL OR event_name = 'purchase'",
                "event_uuid IS NULL OR revenue BETWEEN min_revenue AND coalesce(max_revenue, revenue)",
                "event_uuid IS NULL OR skad_revenue = round((min_revenue + coalesce(max_revenue, min_revenue)) / 2, 6)",
                "event_uuid IS NULL OR (max_event_counter IS NULL AND (min_event_counter = 1) = (min_revenue > 0))",
                "event_uuid IS NULL OR install_date = (install_at AT TIME ZONE 'UTC')::date",
                "event_uuid IS NULL OR (install_type = 're-engagement') = (conversion_type = 're-engagement')",
                "event_uuid IS NULL OR measurement_window = measurement_window_hours",
                "event_uuid IS NULL OR skad_did_win AND NOT skad_ambiguous_event AND NOT af_attribution_flag",
                """
                event_uuid IS NULL OR min_time_post_install IS NULL OR has_windows
                OR value_set_at - launched_at BETWEEN min_time_post_install * interval '1 hour'
                                                  AND max_time_post_install * interval '1 hour'
                """,
            ] {
                let breaking = try await quarter.database.column(
                    "SELECT compared::text \(joined) AND (\(rule)) IS DISTINCT FROM true LIMIT 3")
                #expect(breaking == [], "\(rule)")
            }
            let figures = try await quarter.database.column(
                """
                SELECT concat_ws(' ', count(event_uuid) > 500, count(*) FILTER (WHERE min_time_post_install > 0) > 0,
                                 count(event_uuid) = count(DISTINCT event_uuid), count(DISTINCT sequence_index))
                  \(joined)
                """)
            #expect(figures == ["t t t 3"])
            // The revenue of a postback is the sum over its events.
            let sums = try await quarter.database.column(
                """
                SELECT concat_ws(' ', (SELECT sum(skad_revenue) FROM appsflyer.skad_inapps_all)
                                      = sum(revenue_middle), sum(revenue_low) > 0)
                  FROM attribution.postback_answer
                """)
            #expect(sums == ["t t"])
            for topic in ["skad_installs", "skad_redownloads"] {
                let wrong = try await quarter.database.column(
                    """
                    SELECT topic::text FROM compared JOIN appsflyer.\(topic)_all AS topic
                        ON skad_transaction_id = transaction_id::text AND sequence_index = skad_postback_sequence_index
                       AND did_win
                     WHERE skad_ambiguous_event <> (decoding IS NOT DISTINCT FROM 'ambiguous')
                        OR install_date <> (install_at AT TIME ZONE 'UTC')::date
                        OR event_name <> 'af_' || '\(topic.dropLast())' OR 'skad_' || install_type || 's' <> '\(topic)'
                     LIMIT 3
                    """)
                #expect(wrong == [], "\(topic)")
                let ambiguous = "SELECT count(*) > 3 FROM appsflyer.\(topic) WHERE skad_ambiguous_event"
                #expect(try await quarter.database.value(ambiguous) == "true", "\(topic)")
            }
        }

        /// Names are those of the day of the timestamp; a network without rows has none.
        private func names(_ quarter: SimulatedQuarter) async throws {
            let wrong = try await quarter.database.column(
                """
                SELECT topic::text FROM appsflyer.skad_postbacks AS topic
                 WHERE CASE skad_ad_network_id
                       WHEN 'example123.skadnetwork'
                       THEN (ad_network_campaign_id, ad_network_campaign_name, ad_network_adset_id,
                             ad_network_adset_name, ad_network_ad_id, ad_network_ad_name, ad_network_creative)
                            IS DISTINCT FROM
                            (CASE WHEN "timestamp" < '2026-08-16' THEN 'old ' ELSE 'new ' END
                             || coalesce(skad_campaign_id, right(skad_source_identifier, 2)),
                             'a', 'b', 'c', 'd', 'e', 'e')
                            OR country_code IS NULL
                       ELSE ad_network_campaign_id IS NOT NULL END
                 LIMIT 3
                """)
            #expect(wrong == [])
        }

        /// The columns that nothing knows are NULL in every row, and all others have values.
        private func emptyColumns(_ quarter: SimulatedQuarter) async throws {
            for (topic, columns) in Self.topics {
                let empty = try await quarter.database.column(
                    """
                    SELECT key FROM appsflyer.\(topic) AS topic, jsonb_each(to_jsonb(topic)) AS member
                     GROUP BY key HAVING bool_and(value = 'null')
                    """)
                var expected = Self.unknown
                if ["skad_installs", "skad_redownloads"].contains(topic) { expected.formUnion(Self.ofEvents) }
                // No event of the simulator has an upper bound of its count.
                if topic == "skad_inapps" { expected.insert("max_event_counter") }
                expected.formIntersection(columns.split { $0 == " " || $0 == "\n" }.map(String.init))
                #expect(Set(empty.compactMap { $0 }) == expected, "\(topic)")
            }
        }

        /// Revenue is in US dollars, at the operator's rates; without a rate it is not known.
        private func currency(_ quarter: SimulatedQuarter) async throws {
            let sum = "SELECT sum(skad_revenue) FROM appsflyer.skad_inapps WHERE app_id = 'id1234567891'"
            let dollars = try #require(try await quarter.database.value(sum))
            try await quarter.database.run(
                "UPDATE attribution.conversion_scheme SET currency = 'EUR' WHERE advertised_app_id = 1234567891")
            #expect(try await quarter.database.value(sum) == nil)
            try await quarter.database.run(
                """
                INSERT INTO attribution.currency_rate (day, currency, units_per_usd, loaded_at)
                SELECT day, 'EUR', 0.5, now() FROM generate_series(date '2026-06-20', '2027-01-31', '1 day') AS day
                """)
            #expect(try await quarter.database.value("SELECT (\(sum)) = 2 * \(dollars)") == "true")
        }
    }
}
