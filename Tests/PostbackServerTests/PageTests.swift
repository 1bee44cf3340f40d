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
