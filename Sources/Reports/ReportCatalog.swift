import PostgresClient

/// The reports that the database has, with their columns and comments.
///
/// The names of views and functions are the list. `report_…_all` is a view with everything, and
/// `report_…(first_day, last_day, …)` sums over days. So a report that a migration adds is there, and none can be
/// forgotten or misspelt here.
package struct ReportCatalog: Sendable {
    /// All reports, by name.
    package let reports: [Report]

    /// The report with a name.
    package subscript(_ name: String) -> Report? { reports.first { $0.name == name } }

    /// Reads the rows of `statement`: one for each column of each report, in order.
    init(_ rows: PostgresResult) throws {
        var reports: [Report] = []
        for row in rows {
            var cursor = ColumnCursor(row)
            let name: String = try cursor.next()
            let meaning: String = try cursor.next()
            let source = try Self.source(kind: cursor.next(), options: cursor.next())
            let column = ReportColumn(
                name: try cursor.next(), form: .init(databaseType: try cursor.next()), meaning: try cursor.next())
            let earlier = reports.last?.name == name ? reports.removeLast().columns : []
            reports.append(Report(name: name, meaning: meaning, source: source, columns: earlier + [column]))
        }
        self.reports = reports
    }

    private static func source(kind: String, options: String) -> Report.Source {
        switch kind {
        case "range": .range(options.split(separator: ",").compactMap { ReportOption(rawValue: String($0)) })
        case "daily": .daily
        default: .allDays
        }
    }

    /// A row for each column of each report, in order.
    ///
    /// A function has no comments on its columns. It takes those of the views with its name, in which the columns mean
    /// the same. They are named `first_day` and `last_day` where the function has `first_seen` and `last_seen`.
    static let statement = PostgresStatement(
        "report_catalog",
        """
        WITH source AS (
            SELECT substr(proname, 8) AS name, oid, 'pg_proc'::regclass AS class, 'range' AS kind,
                   array_to_string(proargnames[3:pronargs], ',') AS options
              FROM pg_proc
             WHERE pronamespace = 'attribution'::regnamespace AND proname ^@ 'report_'
               AND proargnames[1:2] = '{first_day,last_day}'
            UNION ALL
            SELECT left(substr(relname, 8), -4), oid, 'pg_class'::regclass,
                   CASE WHEN EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'day')
                        THEN 'daily' ELSE 'all' END, ''
              FROM pg_class
             WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'v'
               AND relname ^@ 'report_' AND relname ~ '_all$'
               AND NOT EXISTS (SELECT FROM pg_proc
                                WHERE pronamespace = relnamespace AND proname = left(relname, -4))
        ), member AS (
            SELECT source.oid AS source, attname::text AS name, atttypid AS type, attnum::integer AS number
              FROM source
              JOIN pg_attribute ON attrelid = source.oid AND class = 'pg_class'::regclass
             WHERE attnum > 0 AND NOT attisdropped
            UNION ALL
            SELECT source.oid, argument.name, argument.type, argument.number::integer
              FROM source
              JOIN pg_proc ON pg_proc.oid = source.oid AND class = 'pg_proc'::regclass
             CROSS JOIN unnest(proargnames, proargmodes::text[], proallargtypes) WITH ORDINALITY
                        AS argument (name, mode, type, number)
             WHERE mode = 't'
        )
        SELECT source.name::text,
               regexp_replace(coalesce(obj_description(source.oid, class::text), ''),
                              '[;,] (all environments|every environment|of every environment)$', ''),
               kind, options,
               member.name, format_type(member.type, NULL), coalesce(described.meaning, '')
          FROM source
          JOIN member ON member.source = source.oid
          LEFT JOIN LATERAL (
               SELECT col_description(attrelid, attnum) AS meaning
                 FROM unnest(ARRAY['', '_daily']) WITH ORDINALITY AS suffix (text, number)
                 JOIN pg_attribute
                        ON attrelid = to_regclass(format('attribution.report_%s%s_all', source.name, suffix.text))
                WHERE attname IN (member.name, replace(replace(member.name, 'first_seen', 'first_day'),
                                                       'last_seen', 'last_day'))
                ORDER BY suffix.number LIMIT 1) AS described ON true
         ORDER BY source.name, member.number
        """)
}
