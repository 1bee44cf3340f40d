import AdminPage
import Foundation

/// The tiles of *Overview*: sums of the days, exact.
enum OverviewTiles {
    /// - Parameter rows: Those of the plans of the screen.
    static func tiles(_ rows: [FigureRows], _ currency: String) -> [Tile] {
        guard let days = rows.first, !days.rows.isEmpty else { return [] }
        let open = days.isIncomplete("complete").count { $0 }
        let isComplete = open == 0 ? "all days complete" : "\(open) of \(days.rows.count) days not complete yet"
        let (low, middle, high) = (sum(days, "revenue_low"), sum(days, "revenue_middle"), sum(days, "revenue_high"))
        let bounds = "\(money(low)) to \(money(high))"
        let unbounded = sum(days, "revenue_open") > 0 ? " and more: some values have no upper end" : ""
        var tiles = [
            Tile("Installs", integer(sum(days, "installs")), exact: "\(sum(days, "installs"))", remark: isComplete),
            Tile(
                "Revenue of the first window, \(currency)", money(middle), exact: "\(middle)",
                remark: bounds + unbounded),
            Tile(
                "Revenue of all windows so far, \(currency)", money(sum(days, "revenue_all")),
                exact: "\(sum(days, "revenue_all"))", remark: "the middle; later windows take up to 42 days"),
        ]
        let withoutRate = sum(days, "without_rate")
        let spend = sum(days, "spend")
        if withoutRate > 0 {
            tiles.append(
                Tile("Spend, \(currency)", "not known", remark: "\(withoutRate) rows have no rate of their day"))
        } else {
            tiles.append(
                Tile("Spend, \(currency)", money(spend), exact: "\(spend)", remark: spend == 0 ? "none is loaded" : nil)
            )
            if spend > 0 {
                tiles.append(
                    Tile(
                        "Return of the first window", NumberText.share("\(middle / spend)"), exact: "\(middle / spend)",
                        remark: "\(NumberText.share("\(low / spend)")) to \(NumberText.share("\(high / spend)"))"))
            }
        }
        let postbacks = sum(days, "postbacks")
        if postbacks > 0 {
            let missing = ["withheld", "not_set", "not_applicable"].map { sum(days, $0) }
            let shares = missing.map { NumberText.share("\($0 / postbacks)") }
            let all = missing.reduce(0, +) / postbacks
            tiles.append(
                Tile(
                    "Share without a value", NumberText.share("\(all)"), exact: "\(all)",
                    remark: "withheld \(shares[0]), not set \(shares[1]), not applicable \(shares[2])"))
        }
        if rows.count > 4 {
            let received = sum(rows[4], "received")
            tiles.append(
                Tile(
                    "Postbacks received", integer(received), exact: "\(received)",
                    remark: "\(integer(sum(rows[4], "conflicts"))) conflicts"))
        }
        return tiles
    }

    private static func sum(_ rows: FigureRows, _ name: String) -> Decimal {
        rows.texts(name).reduce(0) { $0 + ($1.flatMap { Decimal(string: $0) } ?? 0) }
    }

    private static func integer(_ number: Decimal) -> String { NumberText.decimal("\(number)", places: 0) }

    private static func money(_ number: Decimal) -> String { NumberText.decimal("\(number)", places: 2) }
}
