import Foundation
import PostgresClient
import Testing

/// A role that owns nothing of ours: an analyst, or somebody who means harm.
package struct TestRole: Sendable {
    /// Its name, which no other test uses.
    package let name: String

    /// Makes a role on the throw-away cluster, runs a body, and drops it.
    ///
    /// What the role has made must be gone by then, with the database.
    package static func with<T>(_ body: (TestRole) async throws -> T) async throws -> T {
        let cluster = TestDatabase(url: try #require(TestEnvironment.databaseURL))
        let role = TestRole(name: "role_" + UUID().uuidString.lowercased().replacing("-", with: ""))
        try await cluster.run("CREATE ROLE \(role.name) LOGIN")
        let result: Result<T, any Error>
        do {
            result = .success(try await body(role))
        } catch {
            result = .failure(error)
        }
        try await cluster.run("DROP ROLE \(role.name)")
        return try result.get()
    }

    /// A database as this role sees it.
    package func on(_ database: TestDatabase) throws -> TestDatabase { database.as(name) }

    /// The SQLSTATE with which code of this role fails if it runs as somebody else.
    package static let stolen = "STOLE"

    /// Makes, in a schema, functions and operators like all of `pg_catalog` that a role can make.
    ///
    /// They return NULL to the role, and fail with `stolen` as anybody else.
    package func replaceFunctions(in schema: String) -> String {
        """
        \(guardian(in: schema));
        DO $do$
        DECLARE
            function pg_catalog.pg_proc;
            operator pg_catalog.pg_operator;
        BEGIN
            FOR function IN
                SELECT * FROM pg_catalog.pg_proc
                 WHERE pronamespace = 'pg_catalog'::pg_catalog.regnamespace AND prokind = 'f'
            LOOP
                BEGIN
                    EXECUTE pg_catalog.format(
                        'CREATE FUNCTION \(schema).%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', function.proname,
                        pg_catalog.pg_get_function_identity_arguments(function.oid),
                        pg_catalog.pg_get_function_result(function.oid),
                        'BEGIN PERFORM \(schema).guardian(); '
                        || CASE WHEN function.proretset OR function.proallargtypes IS NOT NULL
                                     OR function.prorettype = 'void'::pg_catalog.regtype THEN 'RETURN'
                                ELSE 'RETURN NULL' END
                        || '; END');
                EXCEPTION WHEN OTHERS THEN
                    -- Only C has such a type.
                END;
            END LOOP;
            FOR operator IN
                SELECT * FROM pg_catalog.pg_operator WHERE oprnamespace = 'pg_catalog'::pg_catalog.regnamespace
            LOOP
                BEGIN
                    EXECUTE pg_catalog.format(
                        'CREATE OPERATOR \(schema).%s (FUNCTION = \(schema).%I, RIGHTARG = %s %s)', operator.oprname,
                        (SELECT proname FROM pg_catalog.pg_proc WHERE oid = operator.oprcode),
                        pg_catalog.format_type(operator.oprright, NULL),
                        CASE WHEN operator.oprleft <> 0
                             THEN ', LEFTARG = ' || pg_catalog.format_type(operator.oprleft, NULL) END);
                EXCEPTION WHEN OTHERS THEN
                END;
            END LOOP;
        END $do$;
        """
    }

    /// Makes, for a session of the role, types like those of `pg_catalog`, and views like its tables and ours.
    ///
    /// They fail with `stolen` if anybody else uses them.
    package var replaceTypesAndTables: String {
        """
        SET search_path = pg_catalog;
        \(guardian(in: "pg_temp"));
        DO $do$
        DECLARE
            a_name  text;
            columns text;
        BEGIN
            FOR a_name, columns IN
                SELECT relname, string_agg(format('NULL::%s AS %I', format_type(atttypid, atttypmod), attname), ', ')
                  FROM pg_catalog.pg_class
                  JOIN pg_catalog.pg_attribute ON attrelid = pg_class.oid
                 WHERE relnamespace IN ('attribution'::regnamespace, 'pg_catalog'::regnamespace)
                   AND relkind IN ('r', 'v', 'p') AND attnum > 0 AND NOT attisdropped
                 GROUP BY relname
            LOOP
                BEGIN
                    EXECUTE format('CREATE VIEW pg_temp.%I AS SELECT %s WHERE pg_temp.guardian()', a_name, columns);
                EXCEPTION WHEN OTHERS THEN
                    -- No view can have such a column.
                END;
            END LOOP;
            FOR a_name IN
                SELECT typname FROM pg_catalog.pg_type
                 WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype = 'b' AND typcategory <> 'A'
            LOOP
                BEGIN
                    EXECUTE format('CREATE DOMAIN pg_temp.%I AS pg_catalog.%1$I CHECK (pg_temp.guardian())', a_name);
                EXCEPTION WHEN duplicate_object THEN
                    -- A table has this name.
                END;
            END LOOP;
        END $do$;
        """
    }

    private func guardian(in schema: String) -> String {
        """
        CREATE FUNCTION \(schema).guardian() RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
            IF current_user OPERATOR(pg_catalog.<>) '\(name)' THEN
                RAISE EXCEPTION 'it runs as %', current_user USING ERRCODE = '\(Self.stolen)';
            END IF;
            RETURN true;
        END $$
        """
    }
}
