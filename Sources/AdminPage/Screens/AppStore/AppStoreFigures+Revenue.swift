import AdAttribution
import PageFigures
import PageRequests
import PageViews
import Reports

extension AppStoreFigures {
    /// Net revenue by day, of new purchases beside renewals.
    func days() throws(FieldError) -> FigurePlan {
        let (filters, paid) = (self.filters, try paid(by: ["kind"]))
        let money = ["net_new", "net_renewal", "gross", "refunded", "net"]
        let counts = ["transactions", "without_price", "without_rate"]
        let cells =
            [Self.amount("net", "new"), Self.amount("net", "renewal")]
            + ["gross", "refunded", "net"].map { Self.amount($0) }
            + ["transactions", "without_price"].map(Self.sum) + [Self.withoutRate]
        return FigurePlan(
            id: "days", heading: "Revenue by day, \(filters.currency)",
            remark:
                "Net of what was refunded since. It is not known (–) without a currency rate of the day, and if no "
                + "transaction has a price.",
            question: FigureQuestion(["day"] + money + counts) { values in
                """
                SELECT day, \(cells.joined(separator: ",\n       "))
                  FROM \(converted(paid, &values))
                 GROUP BY day
                 ORDER BY day
                """
            }, added: money + counts,
            columns: [
                FigureColumn(
                    "day", "Day", isHeader: true,
                    link: { row in row["day"].flatMap { filters.address(AppStoreScreen.place.path, day: $0) } }),
                FigureColumn("net_new", "New, net", .money), FigureColumn("net_renewal", "Renewals, net", .money),
                FigureColumn("gross", "Gross", .money), FigureColumn("refunded", "Refunded", .money),
                FigureColumn("net", "Net", .money), FigureColumn("transactions", "Transactions", .integer),
                FigureColumn("without_price", "Without a price", .integer),
                FigureColumn("without_rate", "Without a rate", .integer),
            ],
            chart: { rows in
                OverviewScreen.chart(
                    rows, filters, [("net_new", "New"), ("net_renewal", "Renewals")],
                    zeros: ["net_new", "net_renewal"],
                    isIncomplete: filters.isNotOver, path: AppStoreScreen.place.path)
            }, advice: advice)
    }

    /// The most products that the page shows.
    private static let shownProducts = 100

    /// What each product brought.
    func products() throws(FieldError) -> FigurePlan {
        let paid = try paid(by: ["bundle_id", "product_id"])
        let names = [
            "bundle_id", "product_id", "gross", "refunded", "net", "transactions", "family_shares", "without_price",
            "refunds", "without_rate", "refund_rate",
        ]
        let cells =
            ["gross", "refunded", "net"].map { Self.amount($0) }
            + ["transactions", "family_shares", "without_price", "refunds"].map(Self.sum) + [Self.withoutRate]
        func question(_ limit: String) -> FigureQuestion {
            FigureQuestion(names) { values in
                """
                SELECT sums.*, attribution.per(refunds, transactions - family_shares) AS refund_rate
                  FROM (
                SELECT bundle_id, product_id, \(cells.joined(separator: ",\n       "))
                  FROM \(converted(paid, &values))
                 GROUP BY bundle_id, product_id
                ) AS sums
                 ORDER BY net DESC NULLS LAST, transactions DESC, bundle_id, product_id\(limit)
                """
            }
        }
        return FigurePlan(
            id: "products", heading: "Products, \(filters.currency)",
            rowRemark: { $0.rows.count == Self.shownProducts ? "The first 100 products. SQL and CSV have all." : nil },
            question: question(""), first: question("\n LIMIT \(Self.shownProducts)"),
            columns: [
                FigureColumn("product_id", "Product", isHeader: true), FigureColumn("bundle_id", "App"),
                FigureColumn("net", "Net", .money), FigureColumn("gross", "Gross", .money),
                FigureColumn("refunded", "Refunded", .money),
                FigureColumn("transactions", "Transactions", .integer),
                FigureColumn("family_shares", "Of them family shares", .integer),
                FigureColumn("refunds", "Refunds", .integer), FigureColumn("refund_rate", "Refund rate", .share),
                FigureColumn("without_price", "Without a price", .integer),
                FigureColumn("without_rate", "Without a rate", .integer),
            ], advice: advice)
    }
}
