/// What the roles of the database may do with the tables of the schema.
///
/// Each table and view is in one of these lists; a test finds one that is in none. The views `report_…` and all views of
/// the schema `appsflyer` are found by their names.
package enum ServiceRights {
    /// Tables, by what the serving role writes to them; it reads all of them.
    package static let tables: [(names: [String], writing: [DatabaseRight.Privilege])] = [
        // Only the owner writes to these: by `migrate` and `distribute`, and when a day is dropped.
        (["schema_migration", "schema_definitions", "plain_view", "dropped_place", "store_settings"], []),
        // Rows that never change. The trail is what the service noted of people, and it can't change that.
        (
            [
                "network", "line", "source", "signing_key", "traits", "postback_log", "import_file", "trail",
                "store_product", "store_notification", "apple_ads_attribution",
            ], [.insert]
        ),
        // Rows that `migrate` makes. A row of `lane` is only locked (FOR KEY SHARE), and PostgreSQL asks for UPDATE then.
        (["lane", "lane_day", "rejected_postback_usage", "store_lane"], [.update]),
        // Rows that stay.
        (
            [
                "postback_state", "postback_body", "dropped_day", "import_progress", "load", "recount_run",
                "delivery_daily", "store_backfill", "store_transaction", "store_renewal", "store_app_id",
            ],
            [.insert, .update]
        ),
        // Rows that come and go.
        (
            [
                "load_row", "log_problem", "conversion_meaning", "value_meaning", "reconciliation",
                "reconciliation_line",
                "reconciliation_difference", "store_body",
            ], [.insert, .delete]
        ),
        (
            [
                "log_reader", "log_check", "campaign_daily", "source_app_daily", "conversion_value_daily",
                "figure_refold", "answer_daily", "answer_split_daily", "answer_event_daily", "answer_refold",
                "rejected_postback", "web_ad",
                "page_session", "page_draft", "conversion_scheme", "scheme_window", "campaign_mapping", "app_name",
                "spend_daily", "currency_rate", "destination", "forwarding_server", "delivery", "delivery_minute",
                "rejected_notification", "apple_ads_token",
            ], [.insert, .update, .delete]
        ),
    ]

    /// The tables that are partitioned by day.
    ///
    /// Batches and archives read partitions by their own names, so each has the rights of its table.
    package static let dailyTables = ["postback_body", "postback_log"]

    /// Views that only the serving role and the owner read.
    package static let ownViews = [
        "appsflyer_postback", "catalog_family", "catalog_figure_table", "catalog_option", "catalog_report",
        "postback_origin", "recount",
    ]

    /// Views that everybody reads who reads reports.
    package static let sharedViews = [
        "app_line", "apple_ads_attributions", "campaign_figure", "catalog", "catalog_column",
        "conversion_value_figure", "copy_difference", "copy_difference_all", "folded_answer", "folded_event",
        "measurement_window", "missing_day", "postback", "postback_answer", "shown_traits", "source_app_figure",
        "store_app", "store_renewals", "store_transactions", "window_figure",
    ]

    /// Tables that functions of reports read: dimensions, figures, schemes, names, cost, rates.
    ///
    /// A function reads with the rights of its caller, a view with those of its owner. None of these tables has an address, a
    /// User-Agent or a body. None has a session, a draft, a web ad's nonce, an entry of the trail or a delivery. Of the App
    /// Store, functions read the views `store_…`, since its tables have hashes of customers' ids. Of Apple Ads they read the
    /// view `apple_ads_attributions`, since its tables have tokens and their digests.
    package static let reportTables = [
        "network", "line", "source", "traits", "campaign_daily", "conversion_value_daily", "answer_daily",
        "answer_split_daily", "answer_event_daily", "conversion_scheme", "conversion_meaning", "scheme_window",
        "value_meaning", "campaign_mapping", "app_name", "spend_daily", "currency_rate", "store_settings",
    ]

    /// Tables that say which schema the database has: `PostbackServer report` compares it with its own.
    package static let schemaTables = ["schema_migration", "schema_definitions"]

    /// Functions that run as the owner, and give what is counted and not folded yet.
    package static let reportFunctions = ["unfolded", "answers_up_to"]

    /// Functions that run as the owner: they make, drop and alter partitions, remove old entries of the trail, and lock
    /// the shards of a cluster.
    package static let servingFunctions = [
        "add_partition", "add_coming_partitions", "drop_day", "drop_trail", "begin_to_forget_addresses",
        "vacuum_bodies_at_once", "hold_shards",
    ]

    /// The sequence whose next number a load takes.
    package static let sequences = ["campaign_mapping_mapping_seq"]

    /// The schemas.
    package static let schemas = ["attribution", "appsflyer"]

    /// All rights of the serving role, but those on views that are found by their names.
    package static let serving: [DatabaseRight] =
        schemas.map { DatabaseRight(.usage, on: .schema, $0) }
        + tables.flatMap { group in
            group.names.flatMap { name in
                ([.select] + group.writing).map { DatabaseRight($0, on: .table, "attribution.\(name)") }
            }
        }
        + (ownViews + sharedViews).map { DatabaseRight(.select, on: .table, "attribution.\($0)") }
        + sequences.map { DatabaseRight(.usage, on: .sequence, "attribution.\($0)") }
        + (servingFunctions + reportFunctions).map { DatabaseRight(.execute, on: .function, "attribution.\($0)") }

    /// The rights of the serving role without which no postback can be stored.
    package static let storing: [DatabaseRight] = {
        let tables = [
            "schema_migration", "schema_definitions", "network", "line", "source", "signing_key", "traits", "lane",
            "lane_day", "postback_state", "postback_body", "postback_log",
        ]
        let functions = ["add_partition", "add_coming_partitions", "hold_shards"]
        let objects = Set(["attribution"] + (tables + functions).map { "attribution.\($0)" })
        return serving.filter { objects.contains($0.object) }
    }()

    /// All rights of a role that reads reports, but those on views that are found by their names.
    package static let reading: [DatabaseRight] =
        schemas.map { DatabaseRight(.usage, on: .schema, $0) }
        + (schemaTables + reportTables + sharedViews).map { DatabaseRight(.select, on: .table, "attribution.\($0)") }
        + reportFunctions.map { DatabaseRight(.execute, on: .function, "attribution.\($0)") }
}
