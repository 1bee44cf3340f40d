import Encodings
import PageFigures
import PageViews
import Reports

/// The tables of *Notifications*.
///
/// No column has an id of a customer or of a purchase.
enum NotificationLists {
    /// Shows the half of the quarantine.
    private static let genuine = "CASE WHEN protected THEN 'yes' ELSE 'no' END AS genuine"

    static let newestID = "notifications"
    static let refusedID = "refused"

    /// The most rows of a page, and of a CSV of what was refused.
    static let rowsOfPage = 100
    private static let rowsOfCSV = 20_000

    /// What Apple calls the states of a subscription.
    private static let states = [
        "1": "active", "2": "expired", "3": "billing retry", "4": "grace period", "5": "revoked",
    ]

    /// The newest notifications, of all environments.
    ///
    /// The newest ones of each lane are found in the order of their places: the table has no order by time.
    static var newest: FigurePlan {
        let names = ["received", "environment", "type", "subtype", "bundle_id", "status", "version"]
        return FigurePlan(
            id: newestID, heading: "The newest notifications",
            remark: "The last \(rowsOfPage), of all environments and apps. /v1/app-store/events has all.",
            question: FigureQuestion(names) { _ in
                """
                SELECT \(moment("received_at")) AS received, environment, type, subtype, bundle_id, status, version
                  FROM attribution.store_lane AS of_all
                 CROSS JOIN LATERAL (
                       SELECT * FROM attribution.store_notification AS stored
                        WHERE stored.lane = of_all.lane
                        ORDER BY stored.position DESC
                        LIMIT \(rowsOfPage)) AS newest
                 ORDER BY received_at DESC, newest.lane, newest.position DESC
                 LIMIT \(rowsOfPage)
                """
            },
            columns: [
                FigureColumn(
                    "received", "Received (UTC)", isHeader: true,
                    text: { $0["received"].map { String($0.prefix(19)).replacing("T", with: " ") } }),
                FigureColumn("environment", "Environment"),
                FigureColumn(
                    "type", "Type", text: { row in row["type"].map { $0 == "TEST" ? "TEST, asked for by us" : $0 } }),
                FigureColumn("subtype", "Subtype"), FigureColumn("bundle_id", "App"),
                FigureColumn("status", "Subscription", text: { row in row["status"].map { states[$0] ?? $0 } }),
                FigureColumn("version", "Version"),
            ], isOfDays: false,
            advice: "No notification was stored yet. Ask Apple for one: “PostbackServer app-store test” does.")
    }

    /// What was refused, the last ones first.
    ///
    /// - Parameter isWhole: Whether all rows are meant, and not a page.
    static func refused(_ filters: NotificationFilters, path: String, isWhole: Bool = false) -> FigurePlan {
        let names = [
            "last_seen", "reason", "field", "rule", "bundle_id", "type", "genuine", "attempts", "key", "place",
        ]
        return FigurePlan(
            id: refusedID, heading: "Refused, the last ones first",
            remark: "Genuine are those that Apple signed, and those of version 1 with the secret of their app. App and "
                + "type of the others are as the body says; nobody has verified them.",
            question: FigureQuestion(names) { values in
                var conditions = filters.conditions(&values)
                if let place = filters.place, !isWhole {
                    let time = values.bind(.integer(place.microseconds))
                    let key = values.bind(.text(Hexadecimal.text(place.key)))
                    conditions +=
                        " AND (last_seen_at, key) < (timestamptz '1970-01-01 00:00:00Z' "
                        + "+ \(time) * interval '1 microsecond', decode(\(key), 'hex'))"
                }
                // One more, to see whether there are more.
                return """
                    SELECT \(moment("last_seen_at")) AS last_seen, reason, field, rule, bundle_id, type, \(genuine), attempts,
                           encode(key, 'hex') AS key,
                           (extract(epoch FROM last_seen_at) * 1000000)::bigint || '-' || encode(key, 'hex') AS place
                      FROM attribution.rejected_notification AS body
                     WHERE \(conditions)
                     ORDER BY last_seen_at DESC, body.key DESC
                     LIMIT \(isWhole ? rowsOfCSV : rowsOfPage + 1)
                    """
            },
            columns: [
                .lastSeen { row in row["key"].map { filters.address("\(path)/\($0)", []) } },
                FigureColumn("reason", "Reason"), FigureColumn("field", "Field"), FigureColumn("rule", "Rule"),
                FigureColumn("bundle_id", "App, as it says"), FigureColumn("type", "Type, as it says"),
                FigureColumn("genuine", "Genuine"), FigureColumn("attempts", "Attempts", .integer),
            ], isOfDays: false,
            advice: filters.isFiltering || filters.place != nil
                ? "No refused notification fits. Go back to the newest, or clear the filters."
                : "Nothing of the App Store was refused. Nothing is to be done.")
    }

    /// One row of what was refused, with its body in hexadecimal.
    static func one(_ key: [UInt8]) -> FigureQuestion {
        let names = [
            "reason", "field", "rule", "bundle_id", "type", "genuine", "attempts", "first_seen", "last_seen", "body",
        ]
        return FigureQuestion(names) { values in
            """
            SELECT reason, field, rule, bundle_id, type, \(genuine), attempts,
                   \(moment("first_seen_at")) AS first_seen, \(moment("last_seen_at")) AS last_seen,
                   encode(body, 'hex') AS body
              FROM attribution.rejected_notification
             WHERE key = decode(\(values.bind(.text(Hexadecimal.text(key)))), 'hex')
            """
        }
    }

    private static func moment(_ column: String) -> String {
        "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
    }
}
