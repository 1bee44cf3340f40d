import Encodings
import PageFigures
import PageViews
import Reports

/// The table of *Refused*.
enum RefusedList {
    static let id = "refused"

    /// The most rows of a page, and of the CSV.
    private static let rowsOfPage = 100
    private static let rowsOfCSV = 200_000

    /// How many bodies there are.
    struct Counts: Sendable {
        let all: Int
        /// Those that fit the filters.
        let fitting: Int

        init(_ rows: FigureRows) {
            func number(_ name: String) -> Int { rows.texts(name).first.flatMap { $0.flatMap { Int($0) } } ?? 0 }
            all = number("bodies")
            fitting = number("fitting")
        }
    }

    /// The rows of a page.
    struct Page: Sendable {
        let rows: FigureRows
        /// Where the next page begins; nil if this is the last one.
        let next: String?

        /// Takes the rows, one more than are shown if there are more.
        init(_ found: FigureRows) {
            rows = FigureRows(names: found.names, rows: Array(found.rows.prefix(rowsOfPage)))
            next = found.rows.count > rowsOfPage ? rows.texts("place").last.flatMap(\.self) : nil
        }
    }

    static func count(_ filters: RefusedFilters) -> FigureQuestion {
        FigureQuestion(["bodies", "fitting"]) { values in
            """
            SELECT count(*) AS bodies, count(*) FILTER (WHERE \(filters.conditions(&values))) AS fitting
              FROM attribution.rejected_postback
            """
        }
    }

    static func page(_ filters: RefusedFilters, _ counts: Counts, path: String) -> FigurePlan {
        // One more, to see whether there are more.
        plan(filters, counts, path, from: filters.place, limit: rowsOfPage + 1)
    }

    /// The same without pages.
    static func whole(_ filters: RefusedFilters, _ counts: Counts, path: String) -> FigurePlan {
        plan(filters, counts, path, from: nil, limit: rowsOfCSV)
    }

    private static func plan(
        _ filters: RefusedFilters, _ counts: Counts, _ path: String, from place: RefusedFilters.Place?, limit: Int
    ) -> FigurePlan {
        FigurePlan(
            id: id, heading: "Quarantine, the last ones first", remark: remark(filters, counts),
            question: question(filters, from: place, limit: limit),
            columns: [
                .lastSeen { row in row["key"].map { filters.address("\(path)/\($0)", []) } },
                FigureColumn("reason", "Reason"), FigureColumn("detail", "Detail"),
                FigureColumn("ad_network_id", "Network, as it says"),
                FigureColumn("advertised_app_id", "App"), FigureColumn("campaign", "Campaign, as received"),
                FigureColumn("signed_by_apple", "Signed by Apple"),
                FigureColumn("attempts", "Attempts", .integer),
                FigureColumn("transaction_id", "Transaction"), FigureColumn("field", "Field"),
            ], advice: advice(filters, counts))
    }

    private static func remark(_ filters: RefusedFilters, _ counts: Counts) -> String? {
        guard counts.all > 0 else { return nil }
        let (all, fitting) = (shown(counts.all), shown(counts.fitting))
        let which = filters.isFiltering ? "\(fitting) of \(all) bodies fit the filters." : "\(all) bodies."
        return which
            + (counts.fitting > rowsOfPage ? " A page has \(rowsOfPage); the CSV has up to \(shown(rowsOfCSV))." : "")
    }

    private static func advice(_ filters: RefusedFilters, _ counts: Counts) -> String {
        if counts.all == 0 { return "The quarantine is empty. Nothing is to be done." }
        if counts.fitting == 0, filters.transactionID != nil, !filters.isFilteringMore {
            return
                "None of the \(shown(counts.all)) bodies in the quarantine has this transaction id. The postback was counted, "
                + "or never came, or its body could not be read so far."
        }
        if counts.fitting == 0 {
            return
                "None of the \(shown(counts.all)) bodies in the quarantine fits these filters. Clear the filters to see "
                + "them."
        }
        return "No older body fits these filters. Go back to the newest."
    }

    private static func shown(_ count: Int) -> String { NumberText.decimal("\(count)", places: 0) }

    /// Many bodies of an import were seen at one time, so the key decides among these.
    private static func question(
        _ filters: RefusedFilters, from place: RefusedFilters.Place?, limit: Int
    ) -> FigureQuestion {
        let names = [
            "last_seen", "reason", "field", "detail", "transaction_id", "ad_network_id", "advertised_app_id",
            "campaign",
            "signed_by_apple", "attempts", "key", "place",
        ]
        return FigureQuestion(names) { values in
            var conditions = filters.conditions(&values)
            if let place {
                let time = values.bind(.integer(place.microseconds))
                let key = values.bind(.text(Hexadecimal.text(place.key)))
                conditions +=
                    " AND (last_seen_at, key) < (timestamptz '1970-01-01 00:00:00Z' + \(time) * interval '1 microsecond', "
                    + "decode(\(key), 'hex'))"
            }
            return """
                SELECT to_char(last_seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS last_seen, reason, field,
                       detail, transaction_id, ad_network_id, advertised_app_id, campaign, CASE WHEN protected THEN 'yes' ELSE 'no' END AS signed_by_apple, attempts,
                       encode(key, 'hex') AS key,
                       (extract(epoch FROM last_seen_at) * 1000000)::bigint || '-' || encode(key, 'hex') AS place
                  FROM attribution.rejected_postback AS body
                 WHERE \(conditions)
                 ORDER BY last_seen_at DESC, body.key DESC
                 LIMIT \(limit)
                """
        }
    }
}
