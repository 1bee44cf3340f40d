/// A table that files are loaded into, as the statements of loads need it.
///
/// A load first notes what it will change, in `attribution.load_row`: the rows before and after. Then it writes the
/// rows after. To take it back is the same with both exchanged.
struct LoadedTable: Sendable {
    /// A column of the key, as it is in the table and as it follows from a row of `load_row`.
    struct KeyColumn: Sendable {
        let stored: String
        let noted: String
        /// A value that no row has, for NULL; nil if the column is never NULL.
        let absent: String?

        init(_ name: String, absent: String? = nil) {
            (stored, noted, self.absent) = ("stored.\(name)", "noted.\(name)", absent)
        }

        private init(stored: String, noted: String) {
            (self.stored, self.noted, absent) = (stored, noted, nil)
        }

        /// Networks are compared without suffix.
        static let network = KeyColumn(
            stored: "stored.network_name", noted: "attribution.network_name(noted.ad_network_id)")

        var isEqual: String {
            guard let absent else { return "\(stored) = \(noted)" }
            return "coalesce(\(stored), \(absent)) = coalesce(\(noted), \(absent))"
        }
    }

    /// The name, in the schema `attribution`.
    let name: String
    /// The columns that a file says.
    let columns: [String]
    /// The columns beside these that are put back, each with its value if the file is loaded.
    let ownColumns: [(name: String, loaded: String)]
    /// The unique constraint.
    let constraint: String
    /// Its columns.
    let key: [KeyColumn]
    /// Which stored rows the operator loads; nil for all.
    let ownRows: String?
    /// The stored rows that a file stands for, by its rows `noted` of `file`.
    let scope: String
    /// The parts of a row's name, from the JSON `fields`; those that are NULL are left out.
    let nameParts: [String]
    /// The columns of `columns` that the name has.
    let nameColumns: [String]
    /// Whether a row ends if another one begins, as those of the mapping do.
    var endsRows = false

    var isSameKey: String {
        (key.map(\.isEqual) + [ownRows].compactMap(\.self)).joined(separator: " AND ")
    }

    /// The columns of a file of the stored row, as JSON.
    var storedFields: String { Self.fields(columns) }

    /// The whole stored row, as JSON.
    var wholeStored: String { Self.fields(columns + ownColumns.map(\.name)) }

    private static func fields(_ columns: [String]) -> String {
        let list = columns.map { "stored.\($0)" }.joined(separator: ", ")
        // Documents have members that are null.
        let fields = columns.contains("document") ? "to_jsonb(field)" : "jsonb_strip_nulls(to_jsonb(field))"
        return "(SELECT \(fields) FROM (SELECT \(list)) AS field)"
    }

    /// The name of a row for people, from a JSON expression.
    func title(_ fields: String) -> String {
        let parts = nameParts.map { $0.replacing("fields", with: "(\(fields))") }
        return "concat_ws(', ', \(parts.joined(separator: ", ")))"
    }

    /// The texts of those columns beside the name in which a row differs from another one, – for one without a value;
    /// all values if there is no other row.
    func differences(of fields: String, from other: String) -> String {
        let names = (nameColumns + ownColumns.map(\.name)).map { "'\($0)'" }.joined(separator: ", ")
        return """
            (SELECT string_agg(replace(key, '_', ' ') || ' ' || coalesce(\(fields) ->> key, '–'), ', ' ORDER BY key)
               FROM jsonb_object_keys((\(fields) || coalesce(\(other), '{}'::jsonb)) - ARRAY[\(names)]) AS key
              WHERE CASE WHEN \(other) IS NULL THEN \(fields) ->> key IS NOT NULL
                         ELSE nullif(\(other) -> key, 'null'::jsonb) IS DISTINCT FROM
                              nullif(\(fields) -> key, 'null'::jsonb)
                    END)
            """
    }
}

extension LoadedTable {
    static let mapping = LoadedTable(
        name: "campaign_mapping", columns: MappingStatements.columns,
        ownColumns: [
            ("loaded_at", "load.loaded_at"),
            ("mapping", "nextval('attribution.campaign_mapping_mapping_seq')::integer"),
        ],
        constraint: "campaign_mapping_key",
        key: [
            .network, KeyColumn("campaign_type"), KeyColumn("identifier"), KeyColumn("country", absent: "''"),
            KeyColumn("source_app", absent: "''"), KeyColumn("advertised_app_id", absent: "-1"),
            KeyColumn("protocol", absent: "''"), KeyColumn("valid_from"),
        ],
        ownRows: "NOT stored.is_built_in",
        scope: "stored.network_name IN (SELECT attribution.network_name(ad_network_id) FROM file)",
        nameParts: [
            "fields ->> 'ad_network_id'", "concat(fields ->> 'campaign_type', ' ', fields ->> 'identifier')",
            "'country ' || (fields ->> 'country')", "'source app ' || (fields ->> 'source_app')",
            "'app ' || (fields ->> 'advertised_app_id')", "fields ->> 'protocol'",
            "'from ' || nullif(fields ->> 'valid_from', '-infinity')",
        ],
        nameColumns: [
            "ad_network_id", "campaign_type", "identifier", "country", "source_app", "advertised_app_id", "protocol",
            "valid_from",
        ], endsRows: true)

    static let spend = LoadedTable(
        name: "spend_daily", columns: SpendRow.Column.allCases.map(\.name),
        ownColumns: [("loaded_at", "load.loaded_at"), ("source_file", "load.files[1]")],
        constraint: "spend_daily_key",
        key: [
            KeyColumn("day"), .network, KeyColumn("advertised_app_id"), KeyColumn("campaign_id"),
            KeyColumn("ad_group_id", absent: "''"), KeyColumn("creative_id", absent: "''"),
            KeyColumn("country", absent: "''"),
        ],
        ownRows: nil,
        scope: """
            (stored.day, stored.network_name, stored.advertised_app_id) IN (
                   SELECT day, attribution.network_name(ad_network_id), advertised_app_id FROM file)
            """,
        nameParts: [
            "fields ->> 'day'", "fields ->> 'ad_network_id'", "'app ' || (fields ->> 'advertised_app_id')",
            "'campaign ' || (fields ->> 'campaign_id')", "'ad group ' || (fields ->> 'ad_group_id')",
            "'creative ' || (fields ->> 'creative_id')", "fields ->> 'country'",
        ],
        nameColumns: [
            "day", "ad_network_id", "advertised_app_id", "campaign_id", "ad_group_id", "creative_id", "country",
        ])

    static let rates = LoadedTable(
        name: "currency_rate", columns: CurrencyRate.Column.allCases.map(\.name),
        ownColumns: [("loaded_at", "load.loaded_at")],
        constraint: "currency_rate_key", key: [KeyColumn("currency"), KeyColumn("day")], ownRows: nil,
        scope: "(stored.currency, stored.day) IN (SELECT currency, day FROM file)",
        nameParts: ["fields ->> 'currency'", "'from ' || (fields ->> 'day')"], nameColumns: ["currency", "day"])

    /// A file that replaces stands for all names.
    static let appNames = LoadedTable(
        name: "app_name", columns: AppName.Column.allCases.map(\.name), ownColumns: [("loaded_at", "load.loaded_at")],
        constraint: "app_name_key", key: [KeyColumn("app_id")], ownRows: nil, scope: "true",
        nameParts: ["'app ' || (fields ->> 'app_id')"], nameColumns: ["app_id"])

    /// Its files are written one by one, with their meanings (`SchemeStatements`).
    static let scheme = LoadedTable(
        name: "conversion_scheme",
        columns: [
            "advertised_app_id", "valid_from", "valid_to", "name", "currency", "measurement_window_hours", "document",
            "sha256",
        ],
        ownColumns: [("loaded_at", "load.loaded_at")],
        constraint: "conversion_scheme_key", key: [KeyColumn("advertised_app_id"), KeyColumn("valid_from")],
        ownRows: nil,
        scope: "(stored.advertised_app_id, stored.valid_from) IN (SELECT advertised_app_id, valid_from FROM file)",
        nameParts: [
            "'app ' || (fields ->> 'advertised_app_id')",
            """
            'from ' || to_char((fields ->> 'valid_from')::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            """,
        ],
        nameColumns: ["advertised_app_id", "valid_from", "document", "sha256"])
}
