package import PostbackStore
package import PostgresClient

/// A campaign of the mapping: the id that the operator gave it, and its name.
package struct MappedCampaign: Sendable, Equatable {
    /// `campaign_id` of the mapping.
    package let id: String
    /// `campaign_name`, or the id if it has none; of several, the last one in the order of texts.
    package let name: String
}

/// A campaign of the mapping that an identifier as received belongs to, and on which days.
package struct ReceivedCampaign: Sendable, Equatable {
    /// The campaign.
    package let campaign: MappedCampaign
    /// The first and the last of the days that were asked about on which a row of the mapping gives it the identifier.
    package let days: ClosedRange<PostgresDate>
}

/// Which postbacks are asked about, for the names of their campaigns.
package struct CampaignScope: Sendable {
    let environment: String
    let network: String?
    let app: Int64?
    let days: ClosedRange<PostgresDate>

    /// Takes environment, network (its name, without suffix) and app (nil for all), and days.
    package init(environment: String, network: String?, app: Int64?, days: ClosedRange<PostgresDate>) {
        self.environment = environment
        self.network = network
        self.app = app
        self.days = days
    }

    fileprivate var bindings: PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(network)
        bindings.append(app)
        return bindings
    }
}

extension PostbackStore {
    /// The names of campaigns of the operator's mapping, in order, for a list to choose from.
    ///
    /// A name that could be an identifier as received has `id:` and the campaign's id in its place.
    ///
    /// - Parameter limit: The most names.
    package func campaignNames(_ scope: CampaignScope, limit: Int32) async throws -> [String] {
        var bindings = scope.bindings
        bindings.append(limit)
        let parameters = bindings
        return try await reports.withStatement("campaign_names") { connection in
            try connection.query(CampaignStatements.names, parameters).map { try $0.decode(String.self, at: 0) }
        }
    }

    /// The campaigns of the mapping with this id or name, in any letter case; none if there is none.
    ///
    /// - Parameter isID: Whether only an id is meant.
    package func mappedCampaigns(_ text: String, isID: Bool, _ scope: CampaignScope) async throws -> [MappedCampaign] {
        var bindings = scope.bindings
        bindings.append(text)
        bindings.append(isID)
        let parameters = bindings
        return try await reports.withStatement("campaigns_named") { connection in
            try connection.query(CampaignStatements.named, parameters).map(MappedCampaign.init)
        }
    }

    /// The campaigns to which the mapping gives postbacks with this identifier as received, in the order of their days.
    package func campaigns(received identifier: String, _ scope: CampaignScope) async throws -> [ReceivedCampaign] {
        var bindings = scope.bindings
        bindings.append(identifier)
        bindings.append(scope.environment)
        bindings.append(scope.days.lowerBound)
        bindings.append(scope.days.upperBound)
        let parameters = bindings
        return try await reports.withStatement("campaigns_received") { connection in
            try connection.query(CampaignStatements.received, parameters).map(ReceivedCampaign.init)
        }
    }

    /// The identifiers as received that the mapping gives to campaigns, in order.
    package func identifiers(of ids: [String], _ scope: CampaignScope) async throws -> [String] {
        var bindings = scope.bindings
        bindings.append(ids)
        bindings.append(scope.environment)
        bindings.append(scope.days.lowerBound)
        bindings.append(scope.days.upperBound)
        let parameters = bindings
        return try await reports.withStatement("campaign_identifiers") { connection in
            try connection.query(CampaignStatements.identifiers, parameters).map { try $0.decode(String.self, at: 0) }
        }
    }
}

extension MappedCampaign {
    fileprivate init(_ row: PostgresRow) throws {
        id = try row.decode(String.self, at: 0)
        name = try row.decode(String.self, at: 1)
    }
}

extension ReceivedCampaign {
    fileprivate init(_ row: PostgresRow) throws {
        campaign = try MappedCampaign(row)
        let first = try row.decode(PostgresDate.self, at: 2)
        let last = try row.decode(PostgresDate.self, at: 3)
        days = first...max(first, last)
    }
}

/// The statements; $1 is the name of a network and $2 an app, NULL for all.
private enum CampaignStatements {
    /// Rows of a network and an app; rows for all apps are those of each.
    private static let isOf = """
        ($1::text IS NULL OR network_name = $1)
               AND ($2::bigint IS NULL OR advertised_app_id IS NULL OR advertised_app_id = $2)
        """

    static let names = PostgresStatement(
        "campaign_names",
        """
        SELECT DISTINCT CASE WHEN coalesce(campaign_name, campaign_id) ~ '^([0-9]{1,4}$|id:)' THEN 'id:' || campaign_id
                             ELSE coalesce(campaign_name, campaign_id) END AS name
          FROM attribution.campaign_mapping
         WHERE NOT is_built_in AND \(isOf)
         ORDER BY name
         LIMIT $3::integer
        """)

    /// Names of the network and the app come before others.
    static let named = PostgresStatement(
        "campaigns_named",
        """
        SELECT campaign_id,
               coalesce(max(campaign_name) FILTER (WHERE \(isOf)), max(campaign_name), campaign_id)
          FROM attribution.campaign_mapping
         WHERE lower(campaign_id) = lower($3::text) OR NOT $4::boolean AND lower(campaign_name) = lower($3::text)
         GROUP BY campaign_id
         ORDER BY campaign_id
         LIMIT 100
        """)

    /// What the mapping names of lines; $4 is the environment, $5 and $6 are the days.
    private static let namedLines = """
        attribution.line_mapping($5::date, $6::date, $2) AS part
          JOIN attribution.campaign_mapping AS named USING (mapping)
          JOIN attribution.line ON line.line = part.line
         WHERE line.environment = $4::text AND NOT line.developer_copy
           AND ($1::text IS NULL OR named.network_name = $1)
        """

    static let received = PostgresStatement(
        "campaigns_received",
        """
        SELECT named.campaign_id, coalesce(max(named.campaign_name), named.campaign_id), min(part.from_day),
               max(part.to_day)
          FROM \(namedLines) AND line.campaign = $3::text
         GROUP BY named.campaign_id
         ORDER BY min(part.from_day), named.campaign_id
         LIMIT 20
        """)

    static let identifiers = PostgresStatement(
        "campaign_identifiers",
        """
        SELECT DISTINCT line.campaign
          FROM \(namedLines) AND named.campaign_id = ANY ($3::text[])
         ORDER BY line.campaign
        """)
}
