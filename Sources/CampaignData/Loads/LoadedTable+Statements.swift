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
             WHERE noted.after IS DISTINCT FROM
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
}
