import AdAttribution
import PostbackStore
import PostgresClient
import StrictJSON

/// Mapping rows as lines of text with aligned columns.
struct MappingTable {
    private static let header = [
        "state", "until", "network", "campaign type", "identifier", "app", "country", "source app", "protocol",
        "campaign", "ad group", "creative", "geo",
    ]

    /// The lines, each with its end.
    let text: String

    init(_ rows: [MappedRow]) {
        let lines = [Self.header] + rows.map(Self.cells)
        let widths = Self.header.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        text = lines.map { Self.line($0, widths) }.joined()
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }

    private static func cells(_ row: MappedRow) -> [String] {
        let conditions = row.mapping.conditions
        let names = row.mapping.names
        return [
            row.state.rawValue + (row.isBuiltIn ? " (built in)" : ""), row.until?.description ?? "-",
            conditions.network.text, conditions.campaign.type, conditions.campaign.text,
            conditions.advertisedAppID.map { String($0.value) } ?? "all", conditions.country?.text ?? "-",
            conditions.source?.text ?? "-", conditions.attributionProtocol?.rawValue ?? "-",
            named(names.campaignID, names.campaignName), named(names.adGroupID, names.adGroupName),
            named(names.creativeID, names.creativeName), names.geo?.text ?? "-",
        ]
    }

    /// An id and a name, without what a terminal would obey: somebody may have written them by hand.
    private static func named(_ id: String?, _ name: String?) -> String {
        let both = [id, name].compactMap(\.self)
        guard !both.isEmpty else { return "-" }
        return String(JSONText.quoted(both.joined(separator: " ")).dropFirst().dropLast())
    }
}
