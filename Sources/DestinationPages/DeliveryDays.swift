import Destinations
import PageFigures
import PageViews
import Reports

/// The days of a destination: how many events were delivered, how many attempts failed, and how long it took.
enum DeliveryDays {
    /// The most days that the page shows.
    private static let shown = 30

    /// The figure: the page has the last days, its SQL and CSV all of them.
    static func plan(_ name: DestinationName) -> FigurePlan {
        FigurePlan(
            id: "days", heading: "Deliveries by day",
            remark:
                "The last \(shown) days with deliveries; the CSV has all. A time is that from the receipt of the postback, "
                + "rounded up to a bound of report_delivery: half of the events, 95 %, and 99 % took at most so long. "
                + "What a replay delivers has a column of its own; sent and the times leave it out.",
            question: all(name), first: last(name),
            columns: [
                FigureColumn("day", "Day", isHeader: true), FigureColumn("sent", "Sent", .integer),
                FigureColumn("retried", "Of these after a failure", .integer),
                FigureColumn("replayed", "Sent again by a replay", .integer),
                FigureColumn("failed", "Failed attempts", .integer), FigureColumn("dead", "Dead letters", .integer),
                FigureColumn("waiting", "Waiting now", .integer), milliseconds("p50_ms", "Half within, ms"),
                milliseconds("p95_ms", "95 % within, ms"), milliseconds("p99_ms", "99 % within, ms"),
            ],
            chart: { rows in
                ChartData(
                    places: rows.labels("day"),
                    series: [
                        .init("Sent", rows.numbers("sent")), .init("Failed attempts", rows.numbers("failed")),
                        .init("Dead letters", rows.numbers("dead")),
                    ])
            }, isTableOpen: true,
            advice: "Nothing was sent or has failed so far: no event came that its filter takes, or no server sends.")
    }

    private static let names = [
        "day", "sent", "retried", "replayed", "failed", "dead", "waiting", "p50_ms", "p95_ms", "p99_ms",
    ]

    private static func all(_ name: DestinationName) -> FigureQuestion {
        FigureQuestion(names) { values in
            """
            SELECT \(names.joined(separator: ", "))
              FROM attribution.report_delivery
             WHERE destination = \(values.bind(.text("\(name)")))
             ORDER BY day
            """
        }
    }

    private static func last(_ name: DestinationName) -> FigureQuestion {
        FigureQuestion(names) { values in
            """
            SELECT *
              FROM (SELECT \(names.joined(separator: ", "))
                      FROM attribution.report_delivery
                     WHERE destination = \(values.bind(.text("\(name)")))
                     ORDER BY day DESC
                     LIMIT \(shown)) AS newest
             ORDER BY day
            """
        }
    }

    /// A time that most events took, which may be beyond the last bound.
    private static func milliseconds(_ name: String, _ label: String) -> FigureColumn {
        FigureColumn(name, label, .integer, text: { $0[name] == "Infinity" ? "more than 60,000" : nil })
    }
}
