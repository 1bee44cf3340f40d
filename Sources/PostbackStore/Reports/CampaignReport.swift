public import PostgresClient

/// Selects rows of `report_campaign_daily_all`.
public struct CampaignReportQuery: Sendable, Equatable {
    /// The first UTC day, included.
    public let from: PostgresDate
    /// The last UTC day, included.
    public let to: PostgresDate
    /// `production`, `development` or `test`.
    public let environment: String
    /// One network in lower case, or nil for all.
    public let adNetworkID: String?

    /// Selects days, both ends included.
    public init(from: PostgresDate, to: PostgresDate, environment: String, adNetworkID: String?) {
        self.from = from
        self.to = to
        self.environment = environment
        self.adNetworkID = adNetworkID
    }
}

/// A row of the report by day and campaign, without developer copies.
///
/// Its columns are those of the view.
public struct CampaignReportRow: Sendable, Equatable {
    /// The values of the columns, in the order of `columns`.
    public let values: [Value]

    /// A value of a report.
    public enum Value: Sendable, Equatable {
        case text(String)
        case integer(Int64)
        /// A decimal number as PostgreSQL writes it.
        case decimal(String)
        case null
    }

    /// The columns of the report.
    public static let columns =
        textColumns + ["advertised_app_id"] + countColumns + ["value_average"] + lastColumns

    static let textColumns = ["day", "protocol", "ad_network_id", "campaign_type", "campaign"]
    static let countColumns = [
        "impressions", "installs", "redownloads", "reengagements", "assists", "value_known", "value_coarse",
        "value_null",
    ]
    static let lastColumns = ["raised", "conflicts", "later_windows"]

    init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        var values: [Value] = []
        for _ in Self.textColumns { values.append(.text(try columns.next())) }
        for _ in 0...Self.countColumns.count { values.append(.integer(try columns.next())) }
        values.append(try columns.next(String?.self).map(Value.decimal) ?? .null)
        for _ in Self.lastColumns { values.append(.integer(try columns.next())) }
        self.values = values
    }
}

/// A report, and how old it may be.
public struct CampaignReport: Sendable, Equatable {
    /// Its rows, ordered by day, network and campaign.
    public let rows: [CampaignReportRow]
    /// How far the standby was behind just before it was asked; nil if a primary made the report.
    public let replicationLag: ReplicationLag?
}

extension PostbackStore {
    /// The report by day and campaign.
    ///
    /// If a standby cancels it, because it needs rows that replication must remove (40001), it runs again.
    public func campaignReport(_ query: CampaignReportQuery) async throws -> CampaignReport {
        var bindings = PostgresBindings()
        bindings.append(query.from)
        bindings.append(query.to)
        bindings.append(query.environment)
        bindings.append(query.adNetworkID)
        let report = PostgresPipelineStep(Self.campaignReport, bindings)
        return try await (reports ?? pool).withStatement("campaign_report") { connection in
            // The lag comes first, so the report is not older than it says.
            let results = try connection.pipeline([PostgresPipelineStep(ReplicationLag.statement), report])
            let lag = try ReplicationLag(results.first?.first)
            // The standby was away when this session was made; the next one looks for it again.
            if lag == nil, reports != nil { connection.close() }
            return CampaignReport(rows: try results.last?.map { try CampaignReportRow($0) } ?? [], replicationLag: lag)
        }
    }

    private static let campaignReport = PostgresStatement(
        "campaign_report",
        """
        SELECT day::text, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
               impressions, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null,
               value_average::text, raised, conflicts, later_windows
          FROM attribution.report_campaign_daily_all
         WHERE day BETWEEN $1 AND $2 AND environment = $3 AND NOT developer_copy
           AND ($4::text IS NULL OR ad_network_id = $4)
         ORDER BY day, ad_network_id, campaign_type, campaign, advertised_app_id, protocol
        """)
}
