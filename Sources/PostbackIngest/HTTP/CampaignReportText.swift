import AdAttribution
import PostbackStore
import StrictJSON

/// A report as JSON (an array of objects) or CSV (RFC 4180, with a header line).
enum CampaignReportText {
    static func json(_ rows: [CampaignReportRow]) -> [UInt8] {
        let names = CampaignReportRow.columns.map { JSONText.quoted($0) + ":" }
        var output: [UInt8] = [UInt8(ascii: "[")]
        for row in rows {
            if output.count > 1 { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "{"))
            for (index, value) in row.values.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                output.append(contentsOf: names[index].utf8)
                switch value {
                case .text(let text): JSONText.append(text, to: &output)
                case .integer(let integer): output.append(contentsOf: String(integer).utf8)
                case .decimal(let decimal): output.append(contentsOf: decimal.utf8)
                case .null: output.append(contentsOf: "null".utf8)
                }
            }
            output.append(UInt8(ascii: "}"))
        }
        output.append(UInt8(ascii: "]"))
        return output
    }

    static func csv(_ rows: [CampaignReportRow]) -> [UInt8] {
        var output = Array((CampaignReportRow.columns.joined(separator: ",") + "\r\n").utf8)
        for row in rows {
            output.append(contentsOf: (row.values.map(field).joined(separator: ",") + "\r\n").utf8)
        }
        return output
    }

    private static func field(_ value: CampaignReportRow.Value) -> String {
        switch value {
        case .text(let text):
            text.contains { ",\"\r\n".contains($0) }
                ? "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
                : text
        case .integer(let integer): String(integer)
        case .decimal(let decimal): decimal
        case .null: ""
        }
    }
}
