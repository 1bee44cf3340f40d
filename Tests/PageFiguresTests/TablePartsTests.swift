import Reports
import Testing

@testable import PageFigures
@testable import PageViews

@Suite("The rows of a table")
struct TablePartsTests {
    private let columns = [
        FigureColumn("day", "Day"), FigureColumn("installs", "Installs", .integer),
        FigureColumn("spend", "Spend", .money), FigureColumn("return", "Return", .share, hasTotal: false),
    ]

    /// The texts of the cells below the rows.
    private func footer(_ parts: TableParts) -> [[String]] {
        parts.footer(columns).map { $0.map(\.text) }
    }

    private func rows(_ spend: [String?]) -> FigureRows {
        FigureRows(
            names: ["day", "installs", "spend", "return"],
            rows: spend.enumerated().map { ["2026-11-0\($0 + 1)", "1000", $1, "0.5"] })
    }

    @Test("A sum is exact, and not known if a number is not; shares are not added")
    func sums() {
        let names = ["installs", "spend"]
        #expect(footer(TableParts(all: rows(["0.1", "0.2"]), adding: names)) == [["Total (2)", "2,000", "0.30", ""]])
        #expect(footer(TableParts(all: rows(["0.1", nil]), adding: names)) == [["Total (2)", "2,000", "–", ""]])
    }

    @Test("One row, or a table of which nothing is added, has no row of totals")
    func withoutTotals() {
        #expect(footer(TableParts(all: rows(["1"]), adding: ["spend"])).isEmpty)
        #expect(footer(TableParts(all: rows(["1", "2"]), adding: [])).isEmpty)
    }

    @Test("Of a long table, rows behind the hundredth are one row, and the remark counts all of them")
    func cut() {
        let lines = (1...100).map { ["\($0)", "1", "\($0)", "1", "1", "1"] as [String?] }
        let parts = TableParts(
            cut: FigureRows(
                names: [ReportSummary.placeName, ReportSummary.countName, "day", "installs", "spend", "return"],
                rows: lines + [["101", "50", nil, "50", "50", nil], [nil, "150", nil, "150", "150", nil]]))
        #expect(parts.isLong && parts.rows.rows.count == 100)
        #expect(footer(parts) == [["All others (50)", "50", "50.00", ""], ["Total (150)", "150", "150.00", ""]])
        #expect(
            parts.remark(hasTotals: true)
                == "The first 100 of 150 rows in this order, and one row for all others. SQL and CSV have all.")
    }
}
