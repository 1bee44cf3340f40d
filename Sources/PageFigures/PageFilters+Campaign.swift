package import PostbackStore
import Reports

extension PageFilters {
    /// The most names of campaigns to choose from; any other can be typed.
    private static let greatestNames: Int32 = 300

    /// Asks the mapping which campaign the filter names, and which names there are.
    package mutating func readCampaign(from store: PostbackStore) async throws {
        let scope = campaignScope
        let names = try await store.campaignNames(scope, limit: Self.greatestNames)
        guard let text = campaignText else { return take(nil, names: names) }
        switch CampaignFilter.Text(text) {
        case .received(let identifier):
            let campaigns = try await store.campaigns(received: identifier, scope)
            take(.received(identifier, campaigns: campaigns), names: names)
        case .id(let id):
            let campaign = try await mapped(store.mappedCampaigns(id, isID: true, scope), store)
            // The name, if it asks for the same.
            let name = campaign?.name ?? ""
            guard case .name = CampaignFilter.Text(name) else { return take(campaign, names: names) }
            let same = try await store.mappedCampaigns(name, isID: false, scope).map(\.id)
            take(campaign, shown: same == campaign?.ids ? name : nil, names: names)
        case .name(let name):
            take(try await mapped(store.mappedCampaigns(name, isID: false, scope), store), names: names)
        }
    }

    private func mapped(_ campaigns: [MappedCampaign], _ store: PostbackStore) async throws -> CampaignFilter? {
        guard !campaigns.isEmpty else { return nil }
        return .mapped(
            campaigns, identifiers: try await store.identifiers(of: campaigns.map(\.id), campaignScope))
    }

    /// What is said of figures that are by identifiers as received, and not by the names of the mapping; none if the
    /// campaign is asked for as received.
    package var identifierNotices: [String] {
        guard let campaign, campaign.ids != nil else { return [] }
        let identifiers = campaign.identifiers.prefix(12).joined(separator: ", ")
        guard !identifiers.isEmpty else { return ["Nothing was received for “\(campaign.name)” on these days."] }
        let more = campaign.identifiers.count > 12 ? " and \(campaign.identifiers.count - 12) more" : ""
        return [
            "“\(campaign.name)” is here by its identifiers as received: \(identifiers)\(more). If the mapping gives one of "
                + "them to another campaign too, in some countries, days or networks, that is among the figures."
        ]
    }
}
