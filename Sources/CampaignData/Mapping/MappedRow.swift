import AdAttribution
package import PostgresClient

/// The state of a mapping row on a day.
package enum MappingState: String, Sendable, CaseIterable {
    /// Its first day has not come.
    case planned
    /// The campaign may run.
    case active
    /// The campaign has ended. Late postbacks keep the names, and the identifier is not given out again.
    case cooling
    /// It names no postbacks any more.
    case ended
}

/// A stored mapping row, with its state.
package struct MappedRow: Sendable, Equatable {
    /// The row.
    package let mapping: CampaignMapping
    /// Whether it came with the schema.
    package let isBuiltIn: Bool
    /// Its state on the day asked for.
    package let state: MappingState
    /// The last day of the state, if it is active or cooling; nil if none is known.
    package let until: PostgresDate?

    init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        isBuiltIn = try columns.next()
        let state = MappingState(rawValue: try columns.next())
        until = try columns.next()
        let network = AdNetworkID(try columns.next(String.self))
        let type = CampaignType(rawValue: try columns.next())
        let identifier: String = try columns.next()
        let country = try columns.next(String?.self).flatMap(CountryCode.init)
        let source = try columns.next(String?.self).flatMap(AttributionSource.init(text:))
        let app = try columns.next(Int64?.self).flatMap(AppID.init)
        let attributionProtocol = try columns.next(String?.self).flatMap { AttributionProtocol(rawValue: $0) }
        guard let state, let network, let campaign = type?.campaign(identifier) else {
            throw StoredValueError(table: "campaign_mapping")
        }
        self.state = state
        mapping = CampaignMapping(
            conditions: MappingConditions(
                network: network, campaign: campaign, country: country, source: source, advertisedAppID: app,
                attributionProtocol: attributionProtocol),
            validFrom: try columns.next(), validTo: try columns.next(), coolDownDays: try columns.next(),
            names: try CampaignNames(&columns))
    }
}

extension CampaignNames {
    /// Reads the columns of the names, in the order of the table.
    init(_ columns: inout ColumnCursor) throws {
        self.init(
            campaignID: try columns.next(), campaignName: try columns.next(), adGroupID: try columns.next(),
            adGroupName: try columns.next(), creativeID: try columns.next(), creativeName: try columns.next(),
            geo: try columns.next(String?.self).flatMap(CountryCode.init))
    }
}
