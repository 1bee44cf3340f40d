import PostgresClient

/// The SQL that replaces a set of definitions.
///
/// Names are written with their schemas, since the sessions of the owner have a path without any of ours.
enum DefinitionStatements {
    /// Views and functions of the two schemas, and triggers on their tables or with their functions.
    private static let listing = """
        SELECT 'pg_class'::regclass AS catalog, view.oid, 'pg_class'::regclass AS origin_catalog, view.oid AS origin,
               'view' AS kind, format('%I.%I', nspname, relname) AS name, format('%I.%I', nspname, relname) AS base,
               '' AS fixed,
               (SELECT string_agg(
                           format(E'%I %s %s\\n', attname, format_type(atttypid, atttypmod),
                                  attcollation::regcollation), '' ORDER BY attnum)
                  FROM pg_attribute
                 WHERE attrelid = view.oid AND attnum > 0 AND NOT attisdropped) AS growing,
               view.xmin::text AS writer, relowner AS owner, relacl AS acl
          FROM pg_class AS view
          JOIN pg_namespace ON pg_namespace.oid = relnamespace
         WHERE nspname IN ('attribution', 'appsflyer') AND relkind = 'v'
        UNION ALL
        SELECT 'pg_proc'::regclass, routine.oid, 'pg_proc'::regclass, routine.oid,
               CASE prokind WHEN 'a' THEN 'aggregate' WHEN 'p' THEN 'procedure' ELSE 'function' END,
               routine.oid::regprocedure::text, format('%I.%I', nspname, proname),
               concat_ws(' ', prokind, proretset, prorettype::regtype, proargtypes::regtype[],
                         proallargtypes::regtype[], proargmodes, proargnames),
               repeat(E'default\\n', pronargdefaults), routine.xmin::text, proowner, proacl
          FROM pg_proc AS routine
          JOIN pg_namespace ON pg_namespace.oid = pronamespace
         WHERE nspname IN ('attribution', 'appsflyer')
        UNION ALL
        SELECT 'pg_trigger'::regclass, pg_trigger.oid, 'pg_proc'::regclass, tgfoid,
               'trigger', format('%I ON %s', tgname, tgrelid::regclass), format('%I ON %s', tgname, tgrelid::regclass),
               '', '', pg_trigger.xmin::text, relowner, NULL
          FROM pg_trigger
          JOIN pg_class ON pg_class.oid = tgrelid
          JOIN pg_proc ON pg_proc.oid = tgfoid
         WHERE EXISTS (SELECT FROM pg_namespace
                        WHERE nspname IN ('attribution', 'appsflyer') AND oid IN (relnamespace, pronamespace))
           AND NOT tgisinternal AND tgparentid = 0
        """

    static let objects = PostgresStatement(
        "definition_objects",
        """
        SELECT catalog::oid::bigint, oid::bigint, origin_catalog::oid::bigint, origin::bigint, kind, name, fixed,
               coalesce(growing, ''), writer
          FROM (\(listing)) AS object
         ORDER BY kind, name
        """)

    /// What uses objects of a set: the rule of a view is the view, and the type of a view's rows is the view too.
    static let uses = PostgresStatement(
        "definition_uses",
        """
        SELECT DISTINCT user_catalog::oid::bigint, user_oid::bigint, pg_describe_object(user_catalog, user_oid, 0),
               used_catalog::oid::bigint, used_oid::bigint
          FROM (SELECT CASE rulename WHEN '_RETURN' THEN 'pg_class'::regclass ELSE classid END AS user_catalog,
                       CASE rulename WHEN '_RETURN' THEN ev_class ELSE objid END AS user_oid,
                       CASE WHEN row_type.view IS NULL THEN refclassid ELSE 'pg_class'::regclass END AS used_catalog,
                       coalesce(row_type.view, refobjid) AS used_oid
                  FROM pg_depend
                  LEFT JOIN pg_rewrite ON classid = 'pg_rewrite'::regclass AND pg_rewrite.oid = objid
                  LEFT JOIN (SELECT own.oid, coalesce(nullif(own.typrelid, 0), nullif(element.typrelid, 0)) AS view
                               FROM pg_type AS own
                               LEFT JOIN pg_type AS element
                                      ON own.typcategory = 'A' AND element.oid = own.typelem) AS row_type
                         ON refclassid = 'pg_type'::regclass AND row_type.oid = refobjid
                 WHERE deptype IN ('n', 'a', 'i')
                   AND NOT (classid = 'pg_type'::regclass AND deptype = 'i')) AS edge
          JOIN unnest($1::bigint[], $2::bigint[]) AS object (catalog, oid)
            ON object.catalog = used_catalog::oid::bigint AND object.oid = used_oid::bigint
         WHERE (user_catalog, user_oid) <> (used_catalog, used_oid)
        """)

    /// Keeps owners, rights and comments until the transaction ends, so that they can be put back.
    static let keep = """
        CREATE TEMPORARY TABLE kept_definition ON COMMIT DROP AS
        SELECT object.*, obj_description(oid, catalog::text::name) AS comment,
               EXISTS (SELECT FROM attribution.schema_definitions
                        WHERE kind || ' ' || name = ANY (objects)) AS is_defined
          FROM (\(listing)) AS object;
        CREATE TEMPORARY TABLE kept_column ON COMMIT DROP AS
        SELECT attrelid AS view, attname AS name, attacl AS acl, col_description(attrelid, attnum) AS comment
          FROM pg_temp.kept_definition
          JOIN pg_attribute ON attrelid = kept_definition.oid
         WHERE kind = 'view' AND is_defined AND attnum > 0 AND NOT attisdropped
        """

    /// What was made anew, beside what was kept of it.
    ///
    /// A function whose parameters are others than before follows the one of its name, if there is one of each only.
    private static let remade = """
        object AS (\(listing)),
        gone AS (
            SELECT *, count(*) OVER (PARTITION BY kind, base) AS namesakes
              FROM pg_temp.kept_definition AS kept
             WHERE is_defined
               AND NOT EXISTS (SELECT FROM object WHERE (object.kind, object.name) = (kept.kind, kept.name))),
        made AS (
            SELECT *, count(*) OVER (PARTITION BY kind, base) AS namesakes
              FROM object
             WHERE NOT EXISTS (SELECT FROM pg_temp.kept_definition AS kept
                                WHERE (object.kind, object.name) = (kept.kind, kept.name))),
        remade AS (
            SELECT kept.oid AS kept_oid, kept.owner AS kept_owner, kept.acl AS kept_acl, kept.comment AS kept_comment,
                   object.kind, object.name, object.catalog, object.oid, object.owner, object.acl,
                   CASE object.kind WHEN 'view' THEN 'TABLE' ELSE 'ROUTINE' END AS word
              FROM pg_temp.kept_definition AS kept
              JOIN object USING (kind, name)
             WHERE is_defined AND kept.oid <> object.oid
            UNION ALL
            SELECT gone.oid, gone.owner, gone.acl, gone.comment, made.kind, made.name, made.catalog, made.oid,
                   made.owner, made.acl, 'ROUTINE'
              FROM gone
              JOIN made USING (kind, base)
             WHERE gone.namesakes = 1 AND made.namesakes = 1 AND kind NOT IN ('view', 'trigger'))
        """

    /// Statements that give what was made anew its owner back.
    static let owners = PostgresStatement(
        "definition_owners",
        """
        WITH \(remade)
        SELECT format('ALTER %s %s OWNER TO %I', kind, name, pg_get_userbyid(kept_owner))
          FROM remade
         WHERE kind <> 'trigger' AND owner <> kept_owner
        """)

    /// Statements that give what was made anew its rights back, and comments where the new definition has none.
    ///
    /// If nobody had changed the rights, they are those of the new definition. PUBLIC may run a function if it might
    /// before and the new definition lets it.
    static let rights = PostgresStatement(
        "definition_rights",
        """
        WITH \(remade),
        granted AS (
            SELECT remade.*, NULL::name AS column_name, item.*
              FROM remade, aclexplode(kept_acl) AS item
            UNION ALL
            SELECT remade.*, pg_attribute.attname, item.*
              FROM remade
              JOIN pg_temp.kept_column ON kept_column.view = remade.kept_oid
              JOIN pg_attribute ON attrelid = remade.oid AND attname = kept_column.name AND attnum > 0
             CROSS JOIN LATERAL aclexplode(kept_column.acl) AS item)
        SELECT text
          FROM (SELECT 1 AS step,
                       format('REVOKE ALL ON %s %s FROM %s', word, name, role) AS text
                  FROM (SELECT DISTINCT word, name, kept_acl, item.grantee,
                               CASE item.grantee WHEN 0 THEN 'PUBLIC'
                                                 ELSE quote_ident(pg_get_userbyid(item.grantee)) END AS role
                          FROM remade,
                               acldefault(CASE kind WHEN 'view' THEN 'r' ELSE 'f' END::"char", owner) AS usual,
                               aclexplode(coalesce(acl, usual)) AS item) AS item
                 WHERE kept_acl IS NOT NULL
                   AND NOT (word = 'ROUTINE' AND item.grantee = 0
                            AND EXISTS (SELECT FROM aclexplode(kept_acl) AS kept WHERE kept.grantee = 0))
                UNION ALL
                SELECT 2,
                       format('GRANT %s%s ON %s %s TO %s%s', privilege_type, ' (' || quote_ident(column_name) || ')',
                              word, name,
                              CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
                              CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
                  FROM granted
                 WHERE NOT (word = 'ROUTINE' AND grantee = 0)
                UNION ALL
                SELECT 3, format('COMMENT ON %s %s IS %L', kind, name, kept_comment)
                  FROM remade
                 WHERE kept_comment IS NOT NULL AND obj_description(oid, catalog::text::name) IS NULL
                UNION ALL
                SELECT 3, format('COMMENT ON COLUMN %s.%I IS %L', remade.name, attname, kept_column.comment)
                  FROM remade
                  JOIN pg_temp.kept_column ON kept_column.view = remade.kept_oid
                  JOIN pg_attribute ON attrelid = remade.oid AND attname = kept_column.name AND attnum > 0
                 WHERE kept_column.comment IS NOT NULL AND col_description(attrelid, attnum) IS NULL) AS statement
         ORDER BY step, text
        """)

    /// On a cluster, what is made is sent to the workers, or is not; until the transaction or the savepoint ends.
    static let send = propagation("definition_send", "on")
    static let sendNothing = propagation("definition_send_nothing", "off")

    private static func propagation(_ name: StaticString, _ value: String) -> PostgresStatement {
        PostgresStatement(
            name,
            """
            SELECT set_config(name, value, true)
              FROM (VALUES ('citus.enable_ddl_propagation', '\(value)'),
                           ('citus.create_object_propagation', 'immediate'),
                           ('citus.multi_shard_modify_mode', 'sequential')) AS setting (name, value)
             WHERE to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL
            """)
    }

    static let distribute = """
        DELETE FROM attribution.plain_view;
        SELECT attribution.distribute_definitions()
        """

    /// The locks of everything that folds: a fold sees one set of definitions from its begin to its end.
    static let waitForFolds = PostgresStatement(
        "definition_folds", "SELECT pg_advisory_xact_lock(number) FROM unnest($1::bigint[]) AS number")

    static let stored = PostgresStatement(
        "definitions", "SELECT revision, checksum, version FROM attribution.schema_definitions")

    static let storedObjects = PostgresStatement(
        "definitions_objects", "SELECT unnest(objects) FROM attribution.schema_definitions")

    static let remove = PostgresStatement("definitions_delete", "DELETE FROM attribution.schema_definitions")

    static let insert = PostgresStatement(
        "definitions_insert",
        """
        INSERT INTO attribution.schema_definitions (revision, checksum, version, objects) VALUES ($1, $2, $3, $4)
        """)
}
