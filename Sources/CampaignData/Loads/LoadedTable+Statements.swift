import PostgresClient

/// Which rows of `load_row` are written: those after the load, or those before it.
enum LoadDirection: Sendable {
    case forward
    case back

    /// The column of the rows that are there, and that of the rows to come.
    var columns: (old: String, new: String) { self == .forward ? ("before", "after") : ("after", "before") }
}

extension LoadedTable {
    /// Compares the rows of the file, which are in `load_row`, with what is stored, and notes those that differ.
    ///
    /// $1 is the load, $2 whether stored rows that the file stands for and does not have are removed. It returns the
    /// numbers of rows.
    var plan: PostgresStatement {
        PostgresStatement(
            "load_plan",
            """
            WITH given AS (
                DELETE FROM attribution.load_row WHERE load = $1 RETURNING after
            ),
            file AS MATERIALIZED (
                SELECT given.after AS given, noted.*
                  FROM given
                 CROSS JOIN LATERAL jsonb_populate_record(NULL::attribution.\(name), given.after) AS noted
            ),
            present AS MATERIALIZED (
                SELECT stored.*, \(storedFields) AS fields, \(wholeStored) AS whole
                  FROM attribution.\(name) AS stored
                 WHERE \((([ownRows, scope].compactMap(\.self))).joined(separator: " AND "))
            ),
            joined AS MATERIALIZED (
                SELECT stored.whole AS before, stored.fields, noted.given AS after
                  FROM file AS noted
                  FULL JOIN present AS stored ON \(key.map(\.isEqual).joined(separator: " AND "))
                 WHERE noted.given IS NOT NULL OR $2
            ),
            noting AS (
                INSERT INTO attribution.load_row (load, before, after)
                SELECT $1, before, after FROM joined WHERE fields IS DISTINCT FROM after
            )
            UPDATE attribution.load
               SET added = rows.added, changed = rows.changed, unchanged = rows.unchanged, removed = rows.removed
              FROM (SELECT count(*) FILTER (WHERE before IS NULL) AS added,
                           count(*) FILTER (WHERE fields <> after) AS changed,
                           count(*) FILTER (WHERE fields = after) AS unchanged,
                           count(*) FILTER (WHERE after IS NULL) AS removed
                      FROM joined) AS rows
             WHERE load = $1
            """)
    }

    /// Removes the rows that are there and do not come.
    func remove(_ direction: LoadDirection) -> PostgresStatement {
        let (old, new) = direction.columns
        return PostgresStatement(
            "load_remove",
            """
            DELETE FROM attribution.\(name) AS stored
             USING (SELECT row.*
                      FROM attribution.load_row
                     CROSS JOIN LATERAL jsonb_populate_record(NULL::attribution.\(name), \(old)) AS row
                     WHERE load = $1 AND \(old) IS NOT NULL AND \(new) IS NULL) AS noted
             WHERE \(isSameKey)
            """)
    }

    /// Writes the rows that come.
    func write(_ direction: LoadDirection) -> PostgresStatement {
        let new = direction.columns.new
        let changed = columns + ["loaded_at"] + ownColumns.map(\.name).filter { $0 == "source_file" }
        return PostgresStatement(
            "load_write",
            """
            INSERT INTO attribution.\(name) (\((columns + ownColumns.map(\.name)).joined(separator: ", ")))
                   OVERRIDING SYSTEM VALUE
            SELECT \((columns.map { "noted.\($0)" } + ownColumns.map { "coalesce(noted.\($0), \($1))" })
                .joined(separator: ", "))
              FROM attribution.load_row
              JOIN attribution.load USING (load)
             CROSS JOIN LATERAL jsonb_populate_record(NULL::attribution.\(name), \(new)) AS noted
             WHERE load = $1 AND \(new) IS NOT NULL
                ON CONFLICT ON CONSTRAINT \(constraint) DO UPDATE
               SET \(changed.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """)
    }

    /// The rows of a load that are not as it left them: the first 20 names, and how many there are.
    var changedSince: PostgresStatement {
        PostgresStatement(
            "load_changed_since",
            """
            WITH noted AS MATERIALIZED (
                SELECT load_row.before, load_row.after, row.*
                  FROM attribution.load_row
                 CROSS JOIN LATERAL jsonb_populate_record(NULL::attribution.\(name), coalesce(after, before)) AS row
                 WHERE load = $1
            )
            SELECT \(title("coalesce(noted.after, noted.before)")) AS title, count(*) OVER ()
              FROM noted
              LEFT JOIN attribution.\(name) AS stored ON \(isSameKey)
             WHERE (noted.after - 'last_day'::text) IS DISTINCT FROM
                   CASE WHEN \(key[0].stored) IS NOT NULL THEN \(storedFields) END
             ORDER BY title
             LIMIT 20
            """)
    }

    /// What a load changes, $2 rows at most: those that are removed first, then those that are changed, then new ones.
    var rows: PostgresStatement {
        PostgresStatement(
            "load_rows",
            """
            SELECT \(title("coalesce(after, before)")) AS title, before IS NOT NULL, after IS NOT NULL,
                   \(differences(of: "before", from: "after")), \(differences(of: "after", from: "before"))
              FROM attribution.load_row
             WHERE load = $1
             ORDER BY after IS NOT NULL, before IS NULL, title
             LIMIT $2
            """)
    }

    /// The rows that a load changes and that were written after a time: the first 20 names.
    var rowsSince: PostgresStatement {
        PostgresStatement(
            "load_rows_since",
            """
            SELECT \(title("before")) AS title
              FROM attribution.load_row
             WHERE load = $1 AND (before ->> 'loaded_at')::timestamptz > $2
             ORDER BY title
             LIMIT 20
            """)
    }

    /// The rows with the conditions of rows of the file, which are in `load_row`: the last day of each, and whether the
    /// file has it.
    var lastDays: PostgresStatement {
        PostgresStatement(
            "load_last_days",
            """
            WITH file AS MATERIALIZED (
                SELECT noted.*
                  FROM attribution.load_row
                 CROSS JOIN LATERAL jsonb_populate_record(NULL::attribution.\(name), after) AS noted
                 WHERE load = $1
            )
            SELECT stored.mapping, stored.last_named_day, bool_or(stored.valid_from = noted.valid_from)
              FROM attribution.\(name) AS stored
              JOIN file AS noted ON \(isSameSequence)
             WHERE NOT stored.is_built_in
             GROUP BY stored.mapping
            """)
    }

    /// Notes the rows that another row ends earlier than before, and says of these and of new ones which day that is.
    ///
    /// $2 to $4 are what `lastDays` said before the load. A row that the load would else leave as it was counts as
    /// changed.
    var noteEndings: PostgresStatement {
        PostgresStatement(
            "load_note_endings",
            """
            WITH earlier AS MATERIALIZED (
                SELECT * FROM unnest($2::integer[], $3::date[], $4::boolean[]) AS given (mapping, last_day, is_given)
            ),
            noted AS MATERIALIZED (
                SELECT load_row.ctid AS place, loaded.*
                  FROM attribution.load_row
                 CROSS JOIN LATERAL jsonb_populate_record(NULL::attribution.\(name), after) AS loaded
                 WHERE load = $1 AND after IS NOT NULL
            ),
            ended AS MATERIALIZED (
                SELECT noted.place, earlier.is_given, \(storedFields) AS fields, \(wholeStored) AS whole,
                       jsonb_build_object('last_day', CASE WHEN earlier.last_day = 'infinity' THEN 'open'
                                                           ELSE earlier.last_day::text END) AS day_before,
                       jsonb_build_object('last_day', concat(stored.last_named_day, ': another row begins on ',
                                                             stored.last_named_day + 1)) AS day_after
                  FROM attribution.\(name) AS stored
                  LEFT JOIN earlier ON earlier.mapping = stored.mapping
                  LEFT JOIN noted ON \(key.map(\.isEqual).joined(separator: " AND "))
                 WHERE NOT stored.is_built_in AND (earlier.mapping IS NOT NULL OR noted.place IS NOT NULL)
                   AND stored.last_named_day < coalesce(stored.valid_to + stored.cool_down_days, 'infinity')
                   AND (earlier.mapping IS NULL OR stored.last_named_day < earlier.last_day)
            ),
            taken AS (
                DELETE FROM attribution.load_row
                 USING ended
                 WHERE load_row.load = $1 AND load_row.ctid = ended.place
                RETURNING load_row.before, load_row.after, ended.day_before, ended.day_after
            ),
            noting AS (
                INSERT INTO attribution.load_row (load, before, after)
                SELECT $1::bigint, before || day_before, after || day_after FROM taken
                UNION ALL
                SELECT $1::bigint, whole || day_before, fields || day_after FROM ended WHERE place IS NULL
            )
            UPDATE attribution.load
               SET changed = changed + rows.ended, unchanged = unchanged - rows.given
              FROM (SELECT count(*) AS ended, count(*) FILTER (WHERE is_given) AS given
                      FROM ended
                     WHERE place IS NULL) AS rows
             WHERE load = $1
            """)
    }

    /// Whether two rows have the same conditions, so that the later one ends the earlier one.
    private var isSameSequence: String {
        key.filter { $0.stored != "stored.valid_from" }.map(\.isEqual).joined(separator: " AND ")
    }
}
