import AdAttribution
import ArgumentParser
import PostbackService
import PostbackStore
import PostgresClient
import Reports
import ServerSettings

/// The command `PostbackServer report`.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Print a report, or list the reports.",
        discussion: """
            The names are those of the functions and views attribution.report_NAME, and the answer is that of \
            GET /v1/reports/NAME. Without --where for them, only production is shown, and no developer copies.

            Examples:
              PostbackServer report
              PostbackServer report install_campaign --columns
              PostbackServer report install_campaign --from 2026-08-01 --to 2026-08-31 \\
                --where advertised_app_id=525463029
              PostbackServer report campaign_daily --where campaign=42 \\
                --where campaign=43 --sort -installs,day
              PostbackServer report cost --where in_currency=EUR --where cost.min=100 \\
                --format csv > cost.csv
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table
        case csv
        case json
        case ndjson
    }

    @Argument(help: "The report. Without a name, all reports are listed.")
    var name: String?

    @Flag(help: "Show its parameters and columns, and no rows.")
    var columns = false

    @Option(help: ArgumentHelp("The first day. (default: 29 days before --to)", valueName: "day"))
    var from: String?

    @Option(help: ArgumentHelp("The last day, included. (default: today)", valueName: "day"))
    var to: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            """
            COLUMN=VALUE; several of one column mean any of them, no value means NULL. COLUMN.min=VALUE and \
            COLUMN.max=VALUE for numbers and days. Also further parameters of the report.
            """, valueName: "condition"))
    var conditions: [String] = []

    @Option(
        parsing: .unconditional, help: "Columns with commas, each with - before it if the greatest comes first.",
        transform: OptionValue.columns)
    var sort: String?

    @Option(help: "The most rows. (default: all)")
    var limit: String?

    @Option(help: ArgumentHelp("Goes on where a page ended: what stderr said then.", valueName: "token"))
    var page: String?

    @Option(help: "`table`, `csv`, `json` or `ndjson`.")
    var format = Format.table

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let parameters = try self.parameters()
        let settings = try await Settings.load(options)
        try await StoreSession.reading(settings, ProgramLog.makeLogger(settings)) { store in
            let catalog = try await store.reportCatalog()
            guard let name else { return try ReportDescriptions.show(catalog) }
            guard let report = catalog[name] else { throw ReportCommandError(name: name, catalog) }
            guard !columns else { return try ReportDescriptions.show(report) }
            let today = try await store.reportToday()
            let query: ReportQuery
            do throws(FieldError) {
                query = try ReportQuery(report, parameters: parameters, today: today)
            } catch {
                throw ReportCommandError(error)
            }
            var limits = settings.service.reportLimits
            // Somebody may page through it.
            limits.taking = .seconds(600)
            limits.whole = .seconds(3_600)
            let open: OpenReport
            do {
                open = try await store.open(query, limits: limits)
            } catch ReportError.tooLarge {
                throw ReportCommandError(tooLarge: limits)
            }
            try await ReportOutput(format).print(open)
            if let next = open.nextPage {
                let days = query.days.map { "--from \($0.lowerBound) --to \($0.upperBound) " } ?? ""
                ProgramLog.write("PostbackServer: more rows: \(days)--page \(next)")
            }
        }
    }

    /// The options as the parameters of HTTP.
    private func parameters() throws(ReportCommandError) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        for (name, value) in [("from", from), ("to", to), ("sort", sort), ("limit", limit), ("page", page)] {
            if let value { parameters.append((name, value)) }
        }
        for condition in conditions {
            let parts = condition.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !ReportCommandError.options.contains(String(parts[0])) else {
                throw ReportCommandError(
                    FieldError(field: "where", rule: "must be COLUMN=VALUE, such as campaign=42", value: condition))
            }
            parameters.append((String(parts[0]), String(parts[1])))
        }
        return parameters
    }
}

/// Why a report can't be made as it was asked for: what is wrong with an option, and what would be right.
struct ReportCommandError: Error, CustomStringConvertible {
    let description: String

    /// The parameters that are options of their own.
    static let options: Set<String> = ["from", "to", "sort", "limit", "page"]

    /// A parameter breaks a rule.
    init(_ error: FieldError) {
        let isOption = Self.options.contains(error.field) || error.field == "where"
        description = "--\(isOption ? "" : "where ")\(error)"
    }

    /// There is no such report.
    init(name: String, _ catalog: ReportCatalog) {
        let names = catalog.reports.map(\.name).joined(separator: ", ")
        description = "There is no report '\(name.prefix(60))'. The reports are: \(names)."
    }

    /// The database did not make it in time.
    init(tooLarge limits: ReportLimits) {
        description = """
            The report took more than \(limits.statement.components.seconds) seconds. Ask for fewer days (--from, --to), \
            or one app (--where advertised_app_id=…), or wait longer (--report-deadline).
            """
    }
}
