import Foundation

/// The table that `make bench` ends with.
struct FigureTable {
    let summaries: [FigureSummary]

    private static let header = ["figure", "unit", "value", "baseline", "ratio", "spread", "bound", "reached"]

    /// The lines, aligned: names to the left, numbers to the right; "-" for what there is not, and why, if that is
    /// known.
    var lines: [String] {
        let rows = [Self.header] + summaries.map(Self.row)
        let reasons = [""] + summaries.map { summary in summary.reason.map { "  (\($0))" } ?? "" }
        let widths = Self.header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return zip(rows, reasons).map { row, reason in
            let cells = zip(row, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column < 2 ? cell.0 + padding : padding + cell.0
            }
            return cells.joined(separator: "  ") + reason
        }
    }

    private static func row(_ summary: FigureSummary) -> [String] {
        let bound: String
        if let least = summary.minimumRatio {
            bound = "ratio >= \(least.formattedBriefly)"
        } else if let most = summary.maximumRatio {
            bound = "ratio <= \(most.formattedBriefly)"
        } else if let least = summary.minimumValue {
            bound = ">= \(least.formattedBriefly) \(summary.unit)"
        } else if let most = summary.maximumValue {
            bound = "<= \(most.formattedBriefly) \(summary.unit)"
        } else {
            bound = ""
        }
        let reached = summary.reached.map { $0 ? "yes" : "NO" } ?? (bound.isEmpty ? "" : "-")
        return [
            summary.figure, summary.unit, number(summary.value), number(summary.baseline),
            summary.ratio.map { String(format: "%.2f", $0) } ?? "-",
            summary.spread.map { String(format: "%.0f %%", $0) } ?? "-", bound, reached,
        ]
    }

    private static func number(_ value: Double?) -> String {
        value.map { String(format: $0 < 100 ? "%.2f" : "%.0f", $0) } ?? "-"
    }
}

extension Double {
    /// Without decimals where there are none.
    fileprivate var formattedBriefly: String {
        self == rounded() ? String(Int(self)) : String(self)
    }
}
