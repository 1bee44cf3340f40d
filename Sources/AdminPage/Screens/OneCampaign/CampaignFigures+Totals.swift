import Foundation
import PageFigures
import PageViews
import Reports

extension CampaignFigures {
    private typealias Form = FigureColumn.Form

    /// What it brought and cost, and for how much an install.
    var totals: FigurePlan {
        let (currency, hasCost) = (filters.currency, hasCost)
        let days = "\(filters.days.lowerBound) to \(filters.days.upperBound)"
        var columns: [FigureColumn] = [
            FigureColumn("period", "Period", isHeader: true), FigureColumn("first_day", "First day"),
            FigureColumn("last_day", "Last day"), FigureColumn("days", "Days", .integer),
            FigureColumn("installs", "Installs", .integer),
        ]
        if hasCost {
            columns += [
                FigureColumn("spend", "Spend, \(currency)", .money),
                FigureColumn("cost_per_install_low", "Cost per install at least", .money),
                FigureColumn("cost_per_install", "Cost per install (CPI)", .money),
                FigureColumn("cost_per_install_high", "At most", .money),
                FigureColumn("without_rate", "Rows of spend without a rate", .integer),
            ]
        }
        columns += [
            FigureColumn("postbacks", "Postbacks", .integer), FigureColumn("withheld", "Withheld", .integer),
            FigureColumn("not_set", "Not set", .integer),
            FigureColumn("not_applicable", "Not applicable", .integer),
            FigureColumn("missing_share", "Share without a value (null rate)", .share),
        ]
        return plan(
            .totals, id: "totals", hasCost ? "Installs and cost, \(days)" : "Installs, \(days)",
            hasCost ? "The day of an install has bounds, so the cost per install lies between two numbers." : nil,
            columns,
            rowRemark: { remark(Rows($0, by: "period")) },
            tiles: { rows in
                let rows = Rows(rows, by: "period")
                return [Self.installs(rows)] + (hasCost ? Self.cost(rows, currency) : []) + [Self.missing(rows)]
            })
    }

    private static func tile(_ label: String, _ name: String, _ form: Form, _ rows: Rows, note: String?) -> Tile {
        Tile(
            label, rows.number(Period.complete.rawValue, name, form), note: note,
            before: rows.number(Period.before.rawValue, name, form))
    }

    /// Which days the tiles are of, and which are those before.
    private func remark(_ rows: Rows) -> String? {
        filters.textOfTotals(
            all: rows[Period.soFar.rawValue] ?? [:], before: rows[Period.before.rawValue] ?? [:],
            none: "more installs can come. So there are no totals.")
    }

    private static func installs(_ rows: Rows) -> Tile {
        let all = rows[Period.soFar.rawValue]
        let soFar =
            rows[Period.complete.rawValue]?["days"] == all?["days"]
            ? nil : "so far \(Form.integer.shown(all?["installs"])) in all \(all?["days"] ?? "") days"
        return tile("Installs", "installs", .integer, rows, note: soFar)
    }

    private static func cost(_ rows: Rows, _ currency: String) -> [Tile] {
        let (complete, yesterday) = (rows[Period.complete.rawValue], rows[Period.yesterday.rawValue])
        let range =
            "\(Form.money.shown(complete?["cost_per_install_low"])) to "
            + Form.money.shown(complete?["cost_per_install_high"])
        var tiles = [
            tile("Spend, \(currency)", "spend", .money, rows, note: spendNote(complete)),
            tile(
                "Cost per install (CPI), \(currency)", "cost_per_install", .money, rows,
                note: costNote(complete) ?? range),
        ]
        if let yesterday {
            let soFar =
                "\(yesterday["first_day"] ?? ""), so far: \(Form.integer.shown(yesterday["installs"])) installs, spend "
                + Form.money.shown(yesterday["spend"])
            tiles.append(
                Tile(
                    "CPI of yesterday, \(currency)",
                    rows.number(Period.yesterday.rawValue, "cost_per_install", .money),
                    note: spendNote(yesterday).map { "\(yesterday["first_day"] ?? ""): \($0)" } ?? soFar))
        }
        return tiles
    }

    private static func missing(_ rows: Rows) -> Tile {
        let complete = rows[Period.complete.rawValue]
        let kinds = [("withheld", "withheld"), ("not set", "not_set"), ("not applicable", "not_applicable")].map {
            "\($0) \(Form.integer.shown(complete?[$1]))"
        }
        return tile(
            "Share without a value (null rate)", "missing_share", .share, rows, note: kinds.joined(separator: ", "))
    }

    /// Why the spend is not known; nil if it is.
    static func spendNote(_ row: [String: String]?) -> String? {
        guard let row, row["spend"] == nil else { return nil }
        if let count = row["without_rate"], count != "0" {
            return "not known: \(Form.integer.shown(count)) rows of spend have no rate of their day; Spend takes rates"
        }
        return "no spend is loaded; Spend takes it"
    }

    private static func costNote(_ row: [String: String]?) -> String? {
        if let note = spendNote(row) { return note }
        return row?["installs"] == "0" ? "no installs" : nil
    }
}

/// Rows of a figure by one of their columns.
struct CampaignRows {
    private let rows: [String: [String: String]]

    init(_ rows: FigureRows, by column: String) {
        let pairs = rows.rows.map(rows.members).compactMap { row in row[column].map { ($0, row) } }
        self.rows = Dictionary(pairs) { first, _ in first }
    }

    subscript(_ name: String) -> [String: String]? { rows[name] }

    /// A number of a row, as people read it and exact; – if the row is missing.
    func number(_ row: String, _ column: String, _ form: FigureColumn.Form) -> Tile.Number {
        let text = rows[row]?[column]
        return Tile.Number(form.shown(text), exact: text ?? "")
    }
}

extension CampaignFigures {
    typealias Rows = CampaignRows
}
