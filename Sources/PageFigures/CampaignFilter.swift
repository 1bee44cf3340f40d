package import Reports

/// The campaign that a filter asks for.
///
/// Its text is digits for an identifier as received, `id:` and the operator's id, or a name or an id of the mapping.
package enum CampaignFilter: Sendable {
    /// A campaign id or source identifier as received.
    ///
    /// The campaigns are those to which the mapping gives its postbacks, on some of the days or on all.
    case received(String, campaigns: [ReceivedCampaign])
    /// Campaigns of the mapping: one, or those that have the same name.
    ///
    /// The identifiers are those that were received for them.
    case mapped([MappedCampaign], identifiers: [String])

    /// What the text must be, to complete "must be …".
    static let rule =
        "the name or id of a campaign of the mapping, or an identifier as received: one to four digits"

    /// What a text asks for, before the mapping is asked.
    enum Text {
        case received(String)
        case id(String)
        case name(String)

        init(_ text: String) {
            if text.wholeMatch(of: /[0-9]{1,4}/) != nil {
                self = .received(text)
            } else if text.hasPrefix(CampaignFilter.idPrefix) {
                self = .id(String(text.dropFirst(CampaignFilter.idPrefix.count)))
            } else {
                self = .name(text)
            }
        }
    }

    fileprivate static let idPrefix = "id:"

    /// The text that asks for a campaign of the mapping by its id.
    package static func text(id: String) -> String { idPrefix + id }

    /// What people call it.
    package var name: String {
        switch self {
        case .received(let identifier, _): identifier
        case .mapped(let campaigns, _): campaigns.first?.name ?? ""
        }
    }

    /// The ids that the operator gave; nil if it is asked for as received.
    package var ids: [String]? {
        guard case .mapped(let campaigns, _) = self else { return nil }
        return campaigns.map(\.id)
    }

    /// The campaigns of the mapping to which an identifier as received belongs; none if it is asked for by name.
    package var owners: [ReceivedCampaign] {
        guard case .received(_, let campaigns) = self else { return [] }
        return campaigns
    }

    /// The identifiers as received.
    package var identifiers: [String] {
        switch self {
        case .received(let identifier, _): [identifier]
        case .mapped(_, let identifiers): identifiers
        }
    }

    /// The filters of a report: by name if it has names, else by identifiers as received.
    func parameters(_ report: Report) -> [(name: String, value: String)] {
        if let ids, report.column("campaign_id") != nil { return ids.map { ("campaign_id", $0) } }
        guard let column = ["source_identifier", "campaign"].first(where: { report.column($0) != nil }) else {
            return []
        }
        // Without an identifier nothing was received; an empty text stands for NULL, which no row has.
        return identifiers.isEmpty ? [(column, "")] : identifiers.map { (column, $0) }
    }

    /// A condition on days of lines, in a statement that has `day` and the table `attribution.line`.
    func condition(_ days: (first: String, last: String), _ values: inout StatementValues) -> String {
        switch self {
        case .received(let identifier, _): "line.campaign = \(values.bind(.text(identifier)))"
        case .mapped:
            """
            EXISTS (SELECT FROM attribution.line_mapping(\(days.first), \(days.last)) AS part
                              JOIN attribution.campaign_mapping AS named USING (mapping)
                             WHERE part.line = line.line AND day BETWEEN part.from_day AND part.to_day
                               AND \(isOne("named.campaign_id", &values)))
            """
        }
    }

    /// A condition that a column is one of the operator's ids.
    package func isOne(_ column: String, _ values: inout StatementValues) -> String {
        values.isOne(column, of: ids ?? [])
    }

    /// A condition that a column is one of the identifiers as received.
    package func isReceived(_ column: String, _ values: inout StatementValues) -> String {
        values.isOne(column, of: identifiers)
    }
}
