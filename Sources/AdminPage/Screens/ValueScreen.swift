import AdAttribution
import PageFigures
import PageRequests
import PageViews
import PostgresClient
import Reports

/// *Values*: how often each conversion value came, and what it means.
enum ValueScreen {
    static let place = ScreenPlace(path: "/values", name: "Values")

    private static let introduction = "Conversion values by the day of arrival, won or not."
    /// The most apps to which the screen leads.
    private static let shownApps = 50

    static func content(_ all: PageFilters, _: ScreenReports) throws(FieldError) -> ScreenContent {
        guard let filters = all.ofOneApp else {
            return ScreenContent(
                introduction: introduction,
                tabs: all.apps.prefix(shownApps).map {
                    PageLink("App \(all.appText($0))", all.address(place.path, [("app", $0)]))
                },
                notices: ["Values mean something else in each app. Choose an app to see how often each came."],
                plans: [])
        }
        return ScreenContent(
            introduction: introduction
                + " Meaning and revenue are those of the scheme of the last day, in its currency.",
            plans: plans(filters, isTableOpen: true))
    }

    /// The values of one app.
    static func plans(_ filters: PageFilters, isTableOpen: Bool) -> [FigurePlan] {
        [
            FigurePlan(
                id: "fine", heading: "Fine values of the first window",
                remark: "A share is that of all fine values of the window.", question: values("fine", filters),
                added: ["postbacks"],
                columns: columns("conversion_value", "Value"),
                chart: { rows in
                    ChartData(
                        places: rows.labels("conversion_value"),
                        series: [.init("Postbacks", rows.numbers("postbacks"))])
                }, isTableOpen: isTableOpen, advice: filters.advice),
            FigurePlan(
                id: "coarse", heading: "Coarse values by window",
                remark: "A share is that of the coarse values of its window: those of each window add up to 100 %.",
                question: values("coarse", filters),
                columns: [FigureColumn.window()] + columns("coarse_value", "Value"),
                chart: { rows in
                    ChartData(
                        places: zip(rows.labels("sequence_index"), rows.labels("coarse_value")).map {
                            "\(WindowName.text($0)): \($1)"
                        },
                        series: [.init("Postbacks", rows.numbers("postbacks"))])
                }, isTableOpen: isTableOpen, advice: filters.advice),
        ]
    }

    private static func columns(_ name: String, _ label: String) -> [FigureColumn] {
        [
            FigureColumn(name, label, isHeader: true),
            FigureColumn("postbacks", "Postbacks", .integer),
            FigureColumn("share", "Share", .share),
            FigureColumn("meaning", "Meaning"),
            FigureColumn("revenue_low", "Revenue at least", .money),
            FigureColumn("revenue_high", "At most", .money),
            FigureColumn("currency", "Currency"),
        ]
    }

    /// Postbacks by value, with the meaning in the scheme of the last day.
    ///
    /// It sums what is folded: `report_conversion_value_daily` adds the last seconds, and reads all lines for them.
    ///
    /// - Parameter form: `fine` (of the first window) or `coarse`. One statement has both, since each reads all values.
    private static func values(_ form: String, _ filters: PageFilters) -> FigureQuestion {
        FigureQuestion(
            [
                "sequence_index", "conversion_value", "coarse_value", "postbacks", "form", "share", "meaning",
                "revenue_low", "revenue_high", "currency",
            ], part: ("form", form)
        ) { values in
            let scheme = filters.app.flatMap(Int64.init).map { app in
                """
                (SELECT scheme.advertised_app_id, scheme.valid_from, scheme.currency
                   FROM attribution.conversion_scheme AS scheme
                  WHERE scheme.advertised_app_id = \(values.bind(.integer(app)))
                    AND scheme.valid_from < attribution.day_begins(\(values.bind(.date(filters.days.upperBound))) + 1)
                  ORDER BY scheme.valid_from DESC
                  LIMIT 1)
                """
            }
            return """
                SELECT counted.*, attribution.per(postbacks, sum(postbacks) OVER (PARTITION BY form, counted.sequence_index)) AS share,
                       meaning.meaning, meaning.revenue_low, meaning.revenue_high, meaning.currency
                  FROM (
                SELECT sequence_index, attribution.fine_value(value) AS conversion_value,
                       attribution.coarse_value(value) AS coarse_value, sum(postbacks) AS postbacks,
                       CASE WHEN attribution.coarse_value(value) IS NULL THEN 'fine' ELSE 'coarse' END AS form
                  FROM attribution.conversion_value_daily
                  JOIN attribution.line USING (line)
                 WHERE \(filters.conditions(&values))
                   AND (attribution.fine_value(value) IS NOT NULL AND sequence_index = 0
                        OR attribution.coarse_value(value) IS NOT NULL)
                 GROUP BY sequence_index, value
                HAVING sum(postbacks) > 0
                ) AS counted
                  LEFT JOIN (
                       SELECT meaning.sequence_index, coalesce(meaning.fine::text, meaning.coarse) AS value,
                              coalesce(string_agg(
                                  event || CASE WHEN count_low = 0 THEN ' (possible)' ELSE '' END, ', ' ORDER BY event),
                                  'nothing has happened') AS meaning,
                              sum(meaning.revenue_low) AS revenue_low,
                              CASE WHEN bool_and(meaning.revenue_high IS NOT NULL) THEN sum(meaning.revenue_high) END
                              AS revenue_high, min(scheme.currency) AS currency
                         FROM attribution.conversion_meaning AS meaning
                         JOIN \(scheme ?? "(SELECT 0::bigint AS advertised_app_id, now() AS valid_from, '' AS currency WHERE false)") AS scheme
                        USING (advertised_app_id, valid_from)
                        GROUP BY 1, 2) AS meaning
                         ON meaning.sequence_index = counted.sequence_index
                        AND meaning.value = coalesce(conversion_value::text, coarse_value)
                 ORDER BY counted.sequence_index, conversion_value, array_position('{low,medium,high}', coarse_value)
                """
        }
    }
}
