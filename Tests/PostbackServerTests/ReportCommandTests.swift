import Foundation
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("The command report", .installation)
    struct ReportCommandTests {
        @Test("It lists the reports, shows one's columns, and prints rows as a table, CSV, JSON and NDJSON")
        func output() async throws {
            let installation = try Installation.current
            try await installation.database.addCampaigns(lines: 3, days: 2)
            let list = try await installation.succeed(["report"])
            #expect(list.hasPrefix("report "))
            #expect(list.contains("\ninstall_campaign   "))
            let columns = try await installation.succeed(["report", "cost", "--columns"])
            #expect(columns.contains("\nin_currency        converts money into this currency"))
            #expect(columns.contains("\ncost  "))
            let days = ["report", "campaign_daily", "--from", "2026-09-01", "--to", "2026-09-30"]
            let table = try await installation.succeed(days + ["--sort", "-campaign,day", "--where", "campaign=3"])
            let lines = table.split(separator: "\n")
            #expect(lines.count == 4 && lines.last == "(2 rows)")
            #expect(lines[0].hasPrefix("environment  developer_copy  day         protocol"))
            #expect(lines[1].hasPrefix("production   false           2026-09-29  skadnetwork  com.example"))
            // Numbers end below the end of their column's name.
            let (names, row) = (Array(lines[0]), Array(lines[1]))
            let end = try #require(names.firstRange(of: Array("installs"))?.upperBound)
            #expect(row.count > end && row[end - 1].isNumber && row[end] == " ")
            let csv = try await installation.succeed(days + ["--format", "csv"])
            #expect(csv.split(separator: "\r\n").count == 7)
            let json = try await installation.succeed(days + ["--format", "json"])
            let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
            #expect((object?["rows"] as? [Any])?.count == 6)
            let ndjson = try await installation.succeed(days + ["--format", "ndjson"])
            #expect(ndjson.split(separator: "\n").count == 6)
            let first = try await installation.run(days + ["--limit", "4", "--format", "ndjson"])
            let page = try #require(first.errors.firstMatch(of: /--page (\S+)/))
            let second = try await installation.succeed(
                days + ["--page", String(page.1), "--limit", "4", "--format", "ndjson"])
            #expect(first.output + second == ndjson)
        }

        @Test("A wrong option ends with exit code 64, and says what would be right")
        func refusals() async throws {
            let installation = try Installation.current
            for (arguments, said) in [
                (["nothing"], "There is no report 'nothing'. The reports are: app_store_allocation, "),
                (["campaign_daily", "--from", "x"], "--from: must be a day such as 2026-11-22, not x"),
                (["campaign_daily", "--where", "color=red"], "--where color: is no parameter of this report; it has"),
                (["campaign_daily", "--where", "campaign"], "--where: must be COLUMN=VALUE, such as campaign=42"),
                (["campaign_daily", "--where", "limit=1"], "--where: must be COLUMN=VALUE"),
                (["campaign_daily", "--sort", "color"], "--sort: must be names of columns"),
                (["campaign_daily", "--sort", "--limit", "5"], "It is an option; the names of columns are missing."),
                (["campaign_daily", "--sort=", "--limit=5"], "It is an option; the names of columns are missing."),
                (["campaign_daily", "--limit", "0"], "--limit: must be an integer from 1 to 1000000, not 0"),
                (["campaign_daily", "--page", "x"], "--page: must be the token of a page"),
                (["campaign_daily", "--format", "xml"], "'table', 'csv', 'json' or 'ndjson'"),
                (["campaign_daily", "--form", "x"], "Did you mean '--from'?"),
            ] {
                let command = try await installation.run(["report"] + arguments)
                #expect(command.code == 64, "\(arguments)")
                #expect(command.errors.contains(said), "\(command.errors)")
                #expect(command.output.isEmpty)
            }
        }
    }
}
