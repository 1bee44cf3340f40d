import AdAttribution
import PageFigures
import PageViews
import PostgresClient
import Reports

extension AppStoreFigures {
    /// Sums of all chosen days, and what is at risk now.
    func totals() throws(FieldError) -> FigurePlan {
        let currency = filters.currency
        return FigurePlan(
            id: "totals", heading: "\(filters.days.lowerBound) to \(filters.days.upperBound)",
            remark:
                "Converted to \(currency) at the rate of each day. At risk is what is not paid now, whatever the days.",
            question: try totalsQuestion(),
            columns: [
                FigureColumn("period", "Period", isHeader: true),
                FigureColumn("gross", "Gross, \(currency)", .money), FigureColumn("refunded", "Refunded", .money),
                FigureColumn("net", "Net", .money),
                FigureColumn("transactions", "Transactions", .integer),
                FigureColumn("family_shares", "Of them family shares", .integer),
                FigureColumn("without_price", "Without a price", .integer),
                FigureColumn("without_rate", "Without a rate", .integer),
                FigureColumn("refunds", "Refunds", .integer), FigureColumn("refund_rate", "Refund rate", .share),
                FigureColumn("at_risk", "At risk, \(currency)", .money),
                FigureColumn("in_billing_retry", "In billing retry", .integer),
                FigureColumn("in_grace_period", "In grace period", .integer),
                FigureColumn("at_risk_without_price", "Of both without a price", .integer),
            ], tiles: { rows in rows.rows.first.map { Self.tiles(rows.members($0), currency) } ?? [] }, advice: advice)
    }

    private func totalsQuestion() throws(FieldError) -> FigureQuestion {
        let (paid, risk) = (
            try paid(),
            try summary(
                "at_risk", by: ["currency"],
                ["in_billing_retry", "in_grace_period", "without_price", "billing_retry_price", "grace_period_price"]
                    .map { .init($0, .sum([$0])) })
        )
        let names = [
            "period", "gross", "refunded", "net", "transactions", "family_shares", "without_price", "without_rate",
            "refunds", "refund_rate", "at_risk", "in_billing_retry", "in_grace_period", "at_risk_without_price",
        ]
        let sums =
            ["gross", "refunded", "net"].map { Self.amount($0) }
            + ["transactions", "family_shares", "without_price", "refunds"].map(Self.sum) + [Self.withoutRate]
        return FigureQuestion(names) { values in
            let from = converted(paid, &values)
            let open = risk.text(&values)
            let (currency, today) = (values.bind(.text(filters.currency)), values.bind(.date(filters.today)))
            return """
                SELECT 'all days' AS period, sums.*,
                       attribution.per(refunds, transactions - family_shares) AS refund_rate, due.*
                  FROM (
                SELECT \(sums.joined(separator: ",\n       "))
                  FROM \(from)
                ) AS sums
                 CROSS JOIN (
                SELECT CASE WHEN count(*) FILTER (WHERE amount IS NULL) = 0
                             AND (count(*) = 0 OR sum(in_billing_retry + in_grace_period - without_price) > 0)
                            THEN coalesce(sum(amount), 0) END AS at_risk,
                       \(Self.sum("in_billing_retry")), \(Self.sum("in_grace_period")),
                       coalesce(sum(without_price), 0) AS at_risk_without_price
                  FROM (
                \(open)
                ) AS unpaid
                 CROSS JOIN LATERAL attribution.converted(
                       billing_retry_price + grace_period_price, currency, \(currency), \(today)) AS amount
                ) AS due
                 WHERE transactions > 0 OR in_billing_retry + in_grace_period > 0
                """
        }
    }

    /// - Parameter row: The totals by their names, without NULL.
    private static func tiles(_ row: [String: String], _ currency: String) -> [Tile] {
        typealias Form = FigureColumn.Form
        func tile(_ label: String, _ name: String, _ form: Form, _ note: String? = nil) -> Tile {
            Tile(label, .init(form.shown(row[name]), exact: row[name] ?? ""), note: note)
        }
        func count(_ name: String) -> String { Form.integer.shown(row[name]) }
        func isSome(_ name: String) -> Bool { row[name].map { $0 != "0" } ?? false }
        let unknown =
            isSome("without_rate")
            ? "not known: \(count("without_rate")) transactions have no currency rate of their day"
            : "not known: no transaction has a price"
        let unpriced = isSome("without_price") ? ", and \(count("without_price")) transactions without a price" : ""
        let risk = "\(count("in_billing_retry")) in billing retry, \(count("in_grace_period")) in grace period"
        let without = isSome("at_risk_without_price") ? ", \(count("at_risk_without_price")) without a price" : ""
        return [
            tile("Gross, \(currency)", "gross", .money, row["gross"] == nil ? unknown : nil),
            tile("Refunded, \(currency)", "refunded", .money, row["refunded"] == nil ? unknown : nil),
            tile(
                "Net, \(currency)", "net", .money, row["net"] == nil ? unknown : "gross − refunded" + unpriced),
            tile(
                "Transactions without a price", "without_price", .integer,
                "of \(count("transactions")); version 1 has no prices"),
            tile(
                "Refund rate", "refund_rate", .share,
                "\(count("refunds")) of these transactions were refunded since; family shares are not among them"),
            tile(
                "Revenue at risk, \(currency)", "at_risk", .money,
                (row["at_risk"] == nil ? "not known: " : "") + risk + without),
        ]
    }
}
