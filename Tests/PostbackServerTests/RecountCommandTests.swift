import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("PostbackServer recount", .installation)
    struct RecountCommandTests {
        @Test("It prints each difference and ends with 1; --repair mends them, and --bodies verifies the bodies again")
        func command() async throws {
            let installation = try Installation.current
            let bodies = try installation.keys.simulate(seed: 34, count: 200)
            try await installation.succeed(["import", try installation.write(bodies, to: "a.ndjson")])
            let right = try await installation.run(["recount"])
            #expect(right.code == 0 && right.output == "recount: all figures are right\n", "\(right)")
            #expect(
                try await installation.succeed(["recount", "--bodies"]).contains(" bodies verified, 0 differences\n"))

            try await installation.succeed(["fold"])
            let database = installation.database
            try await database.run(
                """
                UPDATE attribution.campaign_daily SET raised = coalesce(raised, 0) + 1
                 WHERE (line, day) = (SELECT line, day FROM attribution.campaign_daily ORDER BY 1, 2 LIMIT 1);
                UPDATE attribution.answer_install_daily SET withheld = coalesce(withheld, 0) + 1
                 WHERE ctid = (SELECT ctid FROM attribution.answer_install_daily LIMIT 1)
                """)
            let wrong = try await installation.run(["recount"])
            #expect(wrong.code == 1 && wrong.errors.hasSuffix("PostbackServer: 2 differences were found\n"), "\(wrong)")
            let lines = wrong.output.split(separator: "\n")
            #expect(lines.count == 3 && lines[2] == "recount: 2 figures differ", "\(wrong)")
            #expect(lines[0].contains(" withheld: stored ") && lines[0].contains(" app "), "\(wrong)")
            #expect(lines[1].hasPrefix("campaign_daily (") && lines[1].contains(" raised: stored "), "\(wrong)")

            let mended = try await installation.run(["recount", "--repair"])
            #expect(mended.code == 0, "\(mended)")
            #expect(
                mended.output.hasSuffix(
                    "recount: 2 figures differed, and were summed anew\nrecount: all figures are right\n"), "\(mended)")
            #expect(try await database.recounts() == [])
            let repair = try await database.value(
                "SELECT concat_ws(' ', person, counts) FROM attribution.trail WHERE action = 'repair'")
            #expect(repair?.hasPrefix("system user ") == true, "\(repair ?? "")")
            #expect(repair?.contains("\"figures\":2") == true, "\(repair ?? "")")

            try await database.run("UPDATE attribution.postback_body SET payload = 'x' WHERE ordinal = 1")
            let unsigned = try await installation.run(["recount", "--bodies", "--repair"])
            #expect(unsigned.code == 1 && unsigned.output.contains(" signature: stored verified, body malformed: "))
        }

        @Test("Transactions of the App Store are compared with the bodies of their notifications")
        func appStore() async throws {
            let installation = try Installation.current
            let database = installation.database
            try await database.run(
                """
                INSERT INTO attribution.store_product (bundle_id, product_id) VALUES ('com.example', 'coins');
                INSERT INTO attribution.store_transaction (
                    environment, transaction_id, original_transaction_id, product, purchased_at, received_at, quantity)
                SELECT 'production', '7', '7', product, to_timestamp(1772452800), now(), 2
                  FROM attribution.store_product;
                INSERT INTO attribution.store_body (environment, notification_id, received_at, body)
                SELECT 'production', gen_random_uuid(), now(), convert_to(
                           '{"bid":"com.example","unified_receipt":{"latest_receipt_info":[{"transaction_id":"7",'
                           '"original_transaction_id":"7","product_id":"coins","quantity":"1",'
                           '"purchase_date_ms":"1772452800000"}]}}', 'UTF8')
                """)
            let wrong = try await installation.run(["recount", "--repair"])
            #expect(
                wrong.output == """
                    store_transaction production 7 quantity: stored 2, body 1
                    recount: 1 values of transactions and renewals of the App Store differ
                    recount: all figures are right

                    """, "\(wrong)")
            #expect(wrong.code == 1 && wrong.errors.hasSuffix("PostbackServer: 1 differences were found\n"), "\(wrong)")
            try await database.run("UPDATE attribution.store_transaction SET quantity = 1")
            #expect(
                try await installation.succeed(["recount"])
                    == """
                    recount: all transactions and renewals of the App Store are right
                    recount: all figures are right

                    """)
        }

        @Test("A server recounts on a schedule, logs what differs, and shows the last recount in its metrics")
        func schedule() async throws {
            let installation = try Installation.current
            let bodies = try installation.keys.simulate(seed: 35, count: 50)
            try await installation.succeed(["import", try installation.write(bodies, to: "a.ndjson")])
            try await installation.succeed(["fold"])
            try await installation.database.run(
                """
                UPDATE attribution.campaign_daily SET raised = coalesce(raised, 0) + 1
                 WHERE (line, day) = (SELECT line, day FROM attribution.campaign_daily ORDER BY 1, 2 LIMIT 1)
                """)
            let (server, client) = try await installation.start(["RECOUNT_INTERVAL_HOURS": "24"])
            let admin = try await client.admin(of: server)
            let text = try await eventually("the recount is in the metrics") {
                let text = try await admin.request(.GET, "/metrics").text
                return text.contains("\nadattribution_recount_differences 1\n") ? text : nil
            }
            #expect(text.contains("# TYPE adattribution_recount_timestamp_seconds gauge\n"))
            #expect(text.contains("# HELP adattribution_recount_duration_seconds How long the last recount"))
        }
    }
}
