import Access
import AdAttribution
import Encodings
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Observability
import PostbackStore
import PostgresClient
import Reports

/// `GET /v1/reports` lists the reports, `GET /v1/reports/{name}` answers one of them.
///
/// If a standby made the report, the header `Replication-Lag` says how far it was behind.
package struct ReportRoutes: Sendable {
    let store: PostbackStore
    /// Which database an error names.
    let database: Database
    let limits: ReportLimits
    let clock: ReportClock
    let logger: Logger
    let failed = RepeatedLine(.error, "report failed")

    /// A database, as an error names it.
    package enum Database: String {
        /// That of `DATABASE_URL`.
        case main = "database"
        /// That of `REPORTS_DATABASE_URL`.
        case reports = "reports_database"
    }

    private static let format = AdminRoute.Parameter(
        name: "format", meaning: "the form of the answer; by default that of the header `Accept`, or json",
        rule: ReportFormat.rule, choices: ReportFormat.allCases.map(\.rawValue))

    private static let parameters = Report.allParameters.map {
        AdminRoute.Parameter(name: $0.name, meaning: $0.meaning, rule: "must be \($0.rule)")
    }

    /// The routes.
    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/v1/reports", summary: "The reports, with their parameters and columns",
                needs: .scope(.read), contentTypes: ["application/json"], answer: .reports, problems: [.unavailable]
            ) { _ in .json(.ok, ReportListText.json(try await catalog())) },
            AdminRoute(
                method: .get, path: "/v1/reports/{name}", summary: "One report",
                segments: [
                    .init(
                        name: "name", meaning: "a report", rule: "must be a name that GET /v1/reports lists",
                        example: "install_campaign")
                ], needs: .scope(.read), query: .parametersAndColumns([Self.format], ofReports: Self.parameters),
                contentTypes: ReportFormat.allCases.map(\.contentType),
                answer: .report,
                problems: [.notFound, .invalidParameter, .notAcceptable, .reportTooLarge, .unavailable],
                handler: report),
        ]
    }

    private func catalog() async throws(Problem) -> ReportCatalog {
        do {
            return try await store.reportCatalog()
        } catch {
            throw problem(error)
        }
    }

    private func report(_ request: AdminRequest) async throws -> Response {
        let catalog = try await catalog()
        guard let report = request.path["name"].flatMap({ catalog[$0] }) else {
            throw Problem(
                .notFound, field: "name",
                rule: "must be one of \(catalog.reports.map(\.name).joined(separator: ", "))")
        }
        let format = try ReportFormat(request)
        let parameters = request.query.filter { $0.name != Self.format.name }
        let query: ReportQuery
        do throws(FieldError) {
            query = try ReportQuery(report, parameters: parameters, today: clock.today)
        } catch {
            throw Problem(error)
        }
        let open: OpenReport
        do {
            open = try await store.open(query, limits: limits)
        } catch {
            throw problem(error)
        }
        return .stream(format.contentType, headers: headers(open, request)) { writer in
            do {
                try await write(open, format, to: &writer)
            } catch {
                failed.log(to: logger, ["error": "\(error)", "database": "\(database.rawValue)"])
                throw error
            }
        }
    }

    private func write(
        _ report: OpenReport, _ format: ReportFormat, to writer: inout any ResponseBodyWriter
    ) async throws {
        var text = ReportWriter(format, report.query.report.columns)
        var part = text.beginning(report)
        while let rows = try await report.next() {
            part += text.rows(rows)
            try await writer.write(ByteBuffer(bytes: part))
            part = []
        }
        try await writer.write(ByteBuffer(bytes: part + text.end))
    }

    private func headers(_ report: OpenReport, _ request: AdminRequest) -> [HTTPField] {
        var headers: [HTTPField] = []
        if let lag = report.replicationLag, let name = HTTPField.Name("Replication-Lag") {
            headers.append(HTTPField(name: name, value: "\(lag)"))
        }
        if let page = report.nextPage, let name = HTTPField.Name("Link") {
            var query = request.query.filter { !["page", "from", "to"].contains($0.name) }
            if let days = report.query.days {
                query += [("from", "\(days.lowerBound)"), ("to", "\(days.upperBound)")]
            }
            let target = request.request.uri.path + "?" + PercentEncoding.query(of: query + [("page", page)])
            headers.append(HTTPField(name: name, value: "<\(target)>; rel=\"next\""))
        }
        return headers
    }

    /// The answer to a client if a report fails before the first row.
    private func problem(_ error: any Error) -> Problem {
        if case ReportError.tooLarge = error {
            return Problem(
                .reportTooLarge, field: "report",
                rule:
                    "took more than \(limits.statement.components.seconds) seconds; ask for fewer days (from, to), one "
                    + "advertised_app_id, other filters, or a report without the day")
        }
        if let error = error as? PostgresError, error.code == .leaseTimeout {
            return .unavailable("reports", rule: "\(StoreConnections.maximumReports) others are under way")
        }
        failed.log(to: logger, ["error": "\(error)", "database": "\(database.rawValue)"])
        return .unavailable(database.rawValue)
    }
}
