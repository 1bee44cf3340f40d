import AdAttribution
import Foundation
import TestSupport
import Testing

extension ServerPageTests {
    @Suite(
        "The page in Chromium", .enabled(if: TestEnvironment.hasBrowser, "make test installs Chromium and Playwright"))
    struct PageTests {
        private static let markup = "<script>window.markup=1</script>"
        private static let hostile = "\"><img src=x onerror=window.markup=1>"

        @Test(
            "Each screen, link and filter works, is accessible, shows the figures of the reports, and no site can forge"
        )
        func everything() async throws {
            try await Demo.with(installsADay: 150) { demo in
                try await addMarkup(to: demo)
                try await addInstallsOfYesterday(to: demo)
                try await addDestination(to: demo)
                let server = try ServerProcess(environment: demo.environment)
                do {
                    try await browse(demo, admin: server.port(of: "admin"), public: server.port(of: "postbacks"))
                    try await server.kill()
                } catch {
                    try? await server.kill()
                    throw error
                }
            }
        }

        /// Names full of markup; the refused bodies of the demo have some of their own.
        private func addMarkup(to demo: Demo) async throws {
            let names = """
                ad_network_id,campaign_type,identifier,advertised_app_id,valid_from,campaign_id,campaign_name,ad_group_name
                example123.skadnetwork,campaign-id,1,525463029,2026-10-01,\(Self.markup),\(Self.markup),"\(Self.csv)"
                example123.skadnetwork,source-identifier,01,525463029,2026-10-01,\(Self.markup),\(Self.markup),"\(Self.csv)"

                """
            let file = demo.folder + "/markup.csv"
            try Data(names.utf8).write(to: URL(filePath: file))
            let loaded = try await demo.run(["mapping", "load", file])
            try #require(loaded.code == 0, "\(loaded.errors)")
        }

        /// Five installs of yesterday for a campaign that the tasks look at.
        ///
        /// Apple sends the postback of an install 36 hours later, in the mean. So in the morning those of yesterday are
        /// on the way, and these are counted as if it were noon.
        private func addInstallsOfYesterday(to demo: Demo) async throws {
            let pem = try String(contentsOfFile: demo.folder + "/keys/load-test-p256.pem", encoding: .utf8)
            let key = try SigningKey(pem: pem)
            let now = Date().timeIntervalSince1970
            let noon = (now / 86_400).rounded(.down) * 86_400 + 12.1 * 3_600
            let lines = try (0..<5).map { _ in
                try TestPostback {
                    ($0.version, $0.campaignID, $0.appID, $0.conversionValue) = ("3.0", 12, 1_234_567_891, 0)
                    $0.unsigned["received-at"] = "\(Int64(max(now, noon) * 1_000))"
                }.body(key)
            }
            let file = demo.folder + "/yesterday.ndjson"
            try Data(lines.joined(separator: [0x0A])).write(to: URL(filePath: file))
            for arguments in [["import", file], ["fold"]] {
                let result = try await demo.run(arguments)
                try #require(result.code == 0, "\(result.errors)")
            }
        }

        /// A destination with days, deliveries that wait, and dead letters full of markup on two pages.
        ///
        /// Its filter leaves out all that the demo counts, and nothing is due, so nothing is sent.
        private func addDestination(to demo: Demo) async throws {
            let file = demo.folder + "/browser.json"
            try Data(#"{"name": "browser", "url": "https://receiver.example/", "body": "raw"}"#.utf8)
                .write(to: URL(filePath: file))
            let loaded = try await demo.run(["destination", "load", file])
            try #require(loaded.code == 0, "\(loaded.errors)")
            try await demo.database.run(
                """
                INSERT INTO attribution.delivery_daily (destination, day, sent, retried, failed, dead, latencies)
                SELECT 'browser', current_date - n, 1000 * n, n, 10 * n, n, ARRAY[0,0,0,0,0,900*n,80*n,0,0,0,0,0,0,0,0,20*n]
                  FROM generate_series(1, 40) AS n;
                INSERT INTO attribution.delivery (
                       destination, lane, position, ordinal, transaction_id, event, received_at, state, attempt, next_at,
                       first_failed_at, last_failed_at, last_status, last_error, answer, is_sendable, method, url, headers,
                       body, webhook_id, signing)
                SELECT 'browser', 0, n, 0, gen_random_uuid(), 'accepted', now(), CASE WHEN n <= 3 THEN 'waiting' ELSE 'dead' END,
                       2, CASE WHEN n <= 3 THEN now() + interval '1 day' END, now(), now(), 500,
                       'status 500 does not count as success', convert_to('\(Self.markup)', 'UTF8'), true, 'POST',
                       'https://receiver.example/', 'Content-Type: application/json', convert_to('{}', 'UTF8'),
                       'pb_0-' || n || '-0', ''
                  FROM generate_series(1, 150) AS n;
                """)
        }

        /// A name in quotes, in which quotes are doubled.
        private static let csv = hostile.replacing("\"", with: "\"\"")

        private func browse(_ demo: Demo, admin: Int, public port: Int) async throws {
            let pictures = try Self.pictures().map { ["--pictures", $0] } ?? []
            let result = try await ChildProcess.run(
                try #require(TestEnvironment.python),
                [
                    TestEnvironment.root + "Tests/Browser/browse.py", "http://127.0.0.1:\(admin)",
                    "http://127.0.0.1:\(port)", "--coming", demo.folder + "/coming.ndjson",
                ] + pictures,
                environment: ProcessInfo.processInfo.environment.merging([
                    "ADMIN_TOKEN": Installation.token, "DATABASE_URL": demo.databaseURL,
                    "PYTHONDONTWRITEBYTECODE": "1",
                ]) { _, mine in mine })
            let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
            for line in lines where line.hasPrefix("finding: ") { Issue.record("\(line.dropFirst(9))") }
            #expect(result.code == 0, "\(String(decoding: result.errors, as: UTF8.self))")
            #expect(lines.last?.hasSuffix(" 0 findings") == true)
        }

        /// The folder for screenshots, that of TEST_PICTURES; without it there are none.
        private static func pictures() throws -> String? {
            guard let folder = ProcessInfo.processInfo.environment["TEST_PICTURES"] else { return nil }
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            return folder
        }
    }
}
