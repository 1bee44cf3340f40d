import AdAttribution
import Foundation
import TestSupport
import Testing

extension ServerReportTests {
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

        /// A name in quotes, in which quotes are doubled.
        private static let csv = hostile.replacing("\"", with: "\"\"")

        private func browse(_ demo: Demo, admin: Int, public port: Int) async throws {
            let pictures = try Self.pictures(demo)
            let result = try await ChildProcess.run(
                try #require(TestEnvironment.python),
                [
                    TestEnvironment.root + "Tests/Browser/browse.py", "http://127.0.0.1:\(admin)",
                    "http://127.0.0.1:\(port)", "--coming", demo.folder + "/coming.ndjson", "--pictures", pictures,
                ],
                environment: ProcessInfo.processInfo.environment.merging([
                    "ADMIN_TOKEN": Installation.token, "DATABASE_URL": demo.databaseURL,
                    "PYTHONDONTWRITEBYTECODE": "1",
                ]) { _, mine in mine })
            let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
            for line in lines where line.hasPrefix("finding: ") { Issue.record("\(line.dropFirst(9))") }
            #expect(result.code == 0, "\(String(decoding: result.errors, as: UTF8.self))")
            #expect(lines.last?.hasSuffix(" 0 findings") == true)
        }

        /// The folder for screenshots: that of TEST_PICTURES, or one that is gone with the demo.
        private static func pictures(_ demo: Demo) throws -> String {
            let folder = ProcessInfo.processInfo.environment["TEST_PICTURES"] ?? demo.folder + "/pictures"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            return folder
        }
    }
}
