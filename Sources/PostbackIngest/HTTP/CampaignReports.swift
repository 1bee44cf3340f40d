import AdAttribution
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Observability
import PostbackStore
import PostgresClient

/// `GET /v1/reports/campaigns`: rows of `report_campaign_daily` over a range of UTC days, as JSON or CSV.
///
/// If a standby made the report, the header `Replication-Lag` says how far it was behind.
struct CampaignReports: Sendable {
    /// The greatest number of days between `from` and `to`.
    static let maximumDays: Int32 = 366

    let store: PostbackStore
    /// Which database an error names.
    let database: Database
    let clock: WallClock
    let logger: Logger
    private let failed = RepeatedLine(.error, "report failed")

    /// A database, as an error names it.
    enum Database: String {
        /// That of `DATABASE_URL`.
        case main = "database"
        /// That of `REPORTS_DATABASE_URL`.
        case reports = "reports_database"
    }

    private static let replicationLag = HTTPField.Name("Replication-Lag")

    private enum Format: String {
        case json
        case csv
    }

    func respond(to request: Request) async throws -> Response {
        let query: CampaignReportQuery
        let format: Format
        do throws(FieldError) {
            (query, format) = try read(request)
        } catch {
            return .error(.badRequest, field: error.field, rule: error.rule)
        }
        do {
            let report = try await store.campaignReport(query)
            var response = Self.response(report.rows, format)
            if let lag = report.replicationLag, let name = Self.replicationLag { response.headers[name] = "\(lag)" }
            return response
        } catch {
            failed.log(to: logger, ["error": "\(error)", "database": "\(database.rawValue)"])
            return Response(.unavailable(database.rawValue))
        }
    }

    private static func response(_ rows: [CampaignReportRow], _ format: Format) -> Response {
        switch format {
        case .json: .json(.ok, CampaignReportText.json(rows))
        case .csv:
            Response(
                status: .ok, headers: [.contentType: "text/csv; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: CampaignReportText.csv(rows))))
        }
    }

    private func read(_ request: Request) throws(FieldError) -> (CampaignReportQuery, Format) {
        let parameters = request.uri.queryParameters
        let known: Set<Substring> = ["from", "to", "environment", "ad_network_id", "format"]
        for (name, _) in parameters where !known.contains(name) {
            throw FieldError(field: String(name), rule: "is not a parameter of this report")
        }
        let today = PostgresDate(PostgresTimestamp(millisecondsSince1970: clock.milliseconds()))
        let to = try day("to", parameters["to"]) ?? today
        let from = try day("from", parameters["from"]) ?? PostgresDate(daysSince2000: to.daysSince2000 - 29)
        guard from <= to, to.daysSince2000 - from.daysSince2000 < Self.maximumDays else {
            throw FieldError(
                field: "from", rule: "must be at most \(Self.maximumDays) days before to, and not after it")
        }
        let environment = parameters["environment"].map(String.init) ?? AttributionEnvironment.production.rawValue
        guard AttributionEnvironment(rawValue: environment) != nil else {
            throw FieldError(field: "environment", rule: "must be production, development or test")
        }
        let network = parameters["ad_network_id"].map(String.init)
        if let network, AdNetworkID(network) == nil {
            throw FieldError(field: "ad_network_id", rule: "must be \(AdNetworkID.rule)")
        }
        guard let format = Format(rawValue: parameters["format"].map(String.init) ?? "json") else {
            throw FieldError(field: "format", rule: "must be json or csv")
        }
        let query = CampaignReportQuery(
            from: from, to: to, environment: environment, adNetworkID: network?.lowercased())
        return (query, format)
    }

    private func day(_ name: String, _ text: Substring?) throws(FieldError) -> PostgresDate? {
        guard let text else { return nil }
        guard let day = PostgresDate(String(text)) else {
            throw FieldError(field: name, rule: "must be a date YYYY-MM-DD")
        }
        return day
    }
}
