import AdAttribution
import AdminPage
import PostbackStore
import PostgresClient

/// *Values*: how often each conversion value came, and what it means.
enum ValueScreen {
    static let place = ScreenPlace(path: "/values", name: "Values", hasFilters: true)

    static func content(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> ScreenContent {
        let fine = try values("conversion_value", [("sequence_index", "0")], filters, reports)
        let coarse = try values("coarse_value", [], filters, reports)
        let app = filters.app == nil
        return ScreenContent(
            introduction: "Conversion values by the day of arrival, won or not.",
            notices: app
                ? ["Values mean something else in each app. Choose an app to see what its scheme of the last day says."]
                : [],
            plans: [
                FigurePlan(
                    id: "fine", heading: "Fine values of the first window", remark: nil, question: fine,
                    columns: columns("conversion_value", "Value"),
                    chart: { rows in
                        ChartData(
                            places: rows.labels("conversion_value"),
                            series: [.init("Postbacks", rows.numbers("postbacks"))])
                    }, isTableOpen: true, advice: filters.advice),
                FigurePlan(
                    id: "coarse", heading: "Coarse values by window", remark: nil, question: coarse,
                    columns: [FigureColumn("sequence_index", "Window")]
                        + columns("coarse_value", "Value"),
                    chart: { rows in
                        ChartData(
                            places: zip(rows.labels("sequence_index"), rows.labels("coarse_value")).map {
                                "\($0): \($1)"
                            },
                            series: [.init("Postbacks", rows.numbers("postbacks"))])
                    }, isTableOpen: true, advice: filters.advice),
            ])
    }

    private static func columns(_ name: String, _ label: String) -> [FigureColumn] {
        [
            FigureColumn(name, label, isHeader: true),
            FigureColumn("postbacks", "Postbacks", .integer),
            FigureColumn("share", "Share", .share),
            FigureColumn("meaning", "Meaning"),
            FigureColumn("revenue_low", "Revenue at least", .money),
            FigureColumn("revenue_high", "At most", .money),
        ]
    }

    /// Postbacks by value, with the meaning in the scheme of the last day.
    ///
    /// - Parameter column: `conversion_value` or `coarse_value`.
    private static func values(
        _ column: String, _ more: [(name: String, value: String)], _ filters: PageFilters, _ reports: ScreenReports
    ) throws(FieldError) -> FigureQuestion {
        let isFine = column == "conversion_value"
        let summary = try reports.summary(
            "conversion_value_daily", more, by: ["sequence_index", column], [.init("postbacks", .sum(["postbacks"]))])
        return FigureQuestion(
            ["sequence_index", column, "postbacks", "share", "meaning", "revenue_low", "revenue_high"]
        ) { values in
            let app = filters.app.flatMap(Int64.init)
            let scheme = app.map { app in
                """
                (SELECT scheme.advertised_app_id, scheme.valid_from
                   FROM attribution.conversion_scheme AS scheme
                  WHERE scheme.advertised_app_id = \(values.bind(.integer(app)))
                    AND scheme.valid_from < (\(values.bind(.date(filters.days.upperBound))) + 1)::timestamp AT TIME ZONE 'UTC'
                  ORDER BY scheme.valid_from DESC
                  LIMIT 1)
                """
            }
            return """
                SELECT counted.*, attribution.per(postbacks, sum(postbacks) OVER ()) AS share,
                       meaning.meaning, meaning.revenue_low, meaning.revenue_high
                  FROM (
                \(summary.text(&values))
                ) AS counted
                  LEFT JOIN (
                       SELECT meaning.sequence_index, meaning.\(isFine ? "fine" : "coarse") AS \(column),
                              coalesce(string_agg(
                                  event || CASE WHEN count_low = 0 THEN ' (possible)' ELSE '' END, ', ' ORDER BY event),
                                  'nothing has happened') AS meaning,
                              sum(meaning.revenue_low) AS revenue_low,
                              CASE WHEN bool_and(meaning.revenue_high IS NOT NULL) THEN sum(meaning.revenue_high) END
                              AS revenue_high
                         FROM attribution.conversion_meaning AS meaning
                         JOIN \(scheme ?? "(SELECT 0::bigint AS advertised_app_id, now() AS valid_from WHERE false)") AS scheme
                        USING (advertised_app_id, valid_from)
                        GROUP BY 1, 2) AS meaning
                 USING (sequence_index, \(column))
                 WHERE \(column) IS NOT NULL
                 ORDER BY sequence_index, \(isFine ? column : "array_position('{low,medium,high}', \(column))")
                """
        }
    }
}
