/// A script of SQL that gives roles of the database their rights, no more and no less.
///
/// It may run as often as one likes, before and after `migrate`. Names are bound as settings of the transaction and quoted by
/// the server, so a name can't become SQL.
package struct GrantScript: Sendable {
    /// What a role is for.
    package enum Purpose: String, Sendable, CaseIterable {
        /// It owns the schema, and migrates.
        case owner
        /// Servers and all commands but `migrate`, `distribute` and `undistribute`.
        case serve
        /// It reads reports.
        case read
        /// It reads everything, for `pg_dump`.
        case backup

        /// The setting that has the name.
        fileprivate var setting: String { "current_setting('attribution.\(rawValue)')" }
    }

    /// Why names can't be those of roles.
    package enum Refusal: Error, Sendable, Equatable {
        /// It is empty, longer than 63 bytes, or has control characters.
        case name(Purpose)
        /// Two purposes have the same role.
        case same(Purpose, Purpose)
    }

    private let roles: [(purpose: Purpose, name: String)]
    private let createsRoles: Bool

    /// Takes the names of roles.
    ///
    /// - Parameter createsRoles: Whether roles that are missing are made, with LOGIN and without a password.
    package init(_ names: [Purpose: String], createsRoles: Bool = false) throws(Refusal) {
        var known: [String: Purpose] = [:]
        for purpose in Purpose.allCases {
            guard let name = names[purpose] else { continue }
            guard (1...63).contains(name.utf8.count), !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                throw .name(purpose)
            }
            if let other = known.updateValue(purpose, forKey: name) { throw .same(other, purpose) }
        }
        roles = Purpose.allCases.compactMap { purpose in names[purpose].map { (purpose, $0) } }
        self.createsRoles = createsRoles
    }

    /// The script, one transaction.
    package var text: String {
        let parts =
            [Self.beginning, settings] + (createsRoles ? roles.map { create($0.purpose) } : []) + [Self.cluster]
            + roles.map { database($0.purpose) } + [objects, "COMMIT;"]
        return parts.joined(separator: "\n") + "\n"
    }

    private static let beginning = """
        -- Rights in the database of PostbackServer: docs/operations.md#roles-of-the-database says what each role is for.
        -- Run it in that database: psql -v ON_ERROR_STOP=1 -f FILE. It may be run again, and must be after each migrate.
        -- The first time a superuser runs it, or whoever may give these rights; later the owner can.
        BEGIN;
        SET LOCAL search_path = pg_catalog, pg_temp;
        SET LOCAL standard_conforming_strings = on;
        SET LOCAL client_min_messages = warning;
        """

    /// The names, as settings that only this transaction sees.
    private var settings: String {
        roles.map { "SET LOCAL attribution.\($0.purpose.rawValue) = '\($0.name.replacing("'", with: "''"))';" }
            .joined(separator: "\n")
            + "\nSET LOCAL attribution.roles = '\(roles.map(\.purpose.rawValue).joined(separator: " "))';"
    }

    private func create(_ purpose: Purpose) -> String {
        """
        DO $grants$ BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = \(purpose.setting)) THEN
                EXECUTE format('CREATE ROLE %I LOGIN', \(purpose.setting));
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            -- Somebody else has just made it.
        END $grants$;
        """
    }

    /// Tells the nodes of a Citus cluster of roles that were made before, or in another database.
    ///
    /// Citus does so if somebody gives a role a right on something that is distributed, and only a superuser may.
    private static let cluster = """
        DO $grants$
        DECLARE
            unknown text[];
            a_role  text;
        BEGIN
            IF to_regclass('pg_catalog.pg_dist_object') IS NULL THEN RETURN; END IF;
            EXECUTE 'SELECT array_agg(rolname)
                       FROM pg_roles
                      WHERE rolname = ANY ($1) AND EXISTS (SELECT FROM pg_dist_node WHERE groupid > 0)
                        AND oid NOT IN (SELECT objid FROM pg_dist_object WHERE classid = ''pg_authid''::regclass)'
               INTO unknown
              USING ARRAY(SELECT current_setting('attribution.' || purpose)
                            FROM regexp_split_to_table(current_setting('attribution.roles'), ' ') AS purpose);
            IF unknown IS NULL THEN RETURN; END IF;
            CREATE SCHEMA attribution_grants;
            CREATE FUNCTION attribution_grants.known() RETURNS void LANGUAGE sql AS '';
            FOREACH a_role IN ARRAY unknown LOOP
                EXECUTE format('GRANT EXECUTE ON FUNCTION attribution_grants.known() TO %I', a_role);
            END LOOP;
            DROP SCHEMA attribution_grants CASCADE;
        END $grants$;
        """

    /// What a role may do in the database, beside the schema.
    ///
    /// What it has already is not given again, so the owner can run the script.
    private func database(_ purpose: Purpose) -> String {
        let privileges =
            switch purpose {
            case .owner: "CONNECT, CREATE, TEMPORARY"
            case .serve: "CONNECT, TEMPORARY"
            case .read, .backup: "CONNECT"
            }
        let missing = privileges.split(separator: ", ").map {
            "NOT has_database_privilege(\(purpose.setting), current_database(), '\($0)')"
        }
        var text = """
            DO $grants$ BEGIN
                IF \(missing.joined(separator: "\n           OR ")) THEN
                    EXECUTE format('GRANT \(privileges) ON DATABASE %I TO %I', current_database(), \(purpose.setting));
                END IF;

            """
        // The owner must see when other roles' transactions began: it drops no day under a long one. A backup reads all.
        let membership: String? =
            switch purpose {
            case .owner: "pg_read_all_stats"
            case .backup: "pg_read_all_data"
            case .serve, .read: nil
            }
        if let membership {
            text += """
                    IF NOT pg_has_role(\(purpose.setting), '\(membership)', 'USAGE') THEN
                        BEGIN
                            EXECUTE format('GRANT \(membership) TO %I', \(purpose.setting));
                        EXCEPTION WHEN unique_violation THEN
                            -- Somebody else has just given it, in another database.
                        END;
                    END IF;

                """
        }
        if purpose == .owner || purpose == .serve {
            text += """
                    -- For the sessions that nodes of a cluster open for it, and for psql.
                    IF NOT EXISTS (SELECT
                                     FROM pg_db_role_setting
                                    WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
                                      AND setrole = (SELECT oid FROM pg_roles WHERE rolname = \(purpose.setting))
                                      AND 'search_path=pg_catalog, pg_temp' = ANY (setconfig)) THEN
                        EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path = pg_catalog, pg_temp',
                                       \(purpose.setting), current_database());
                    END IF;

                """
        }
        return text + "END $grants$;"
    }

    /// The rights on what is in the schema, if it is there.
    private var objects: String {
        var given: [(purpose: Purpose, rights: [DatabaseRight])] = []
        for role in roles {
            switch role.purpose {
            case .serve: given.append((.serve, ServiceRights.serving))
            case .read: given.append((.read, ServiceRights.reading))
            case .owner, .backup: break
            }
        }
        guard !given.isEmpty else { return "" }
        let statements = given.map { Self.revocation(of: $0.purpose) + Self.statements($0.purpose, $0.rights) }
        return """
            DO $grants$
            DECLARE
                an_object text;
            BEGIN
                IF to_regnamespace('attribution') IS NULL THEN
                    RAISE WARNING 'the schema is not there yet: run PostbackServer migrate as its owner, and then this again';
                    RETURN;
                END IF;
            \(statements.joined(separator: "\n"))
            END $grants$;
            """
    }

    /// Takes away what a role has: rights of an earlier version, or of another purpose.
    private static func revocation(of purpose: Purpose) -> String {
        """
            FOR an_object IN
                SELECT format('%I.%I', nspname, relname)
                  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                 WHERE nspname IN ('attribution', 'appsflyer') AND relkind IN ('r', 'p', 'v', 'S')
                   AND EXISTS (SELECT FROM aclexplode(relacl)
                                WHERE grantee = (SELECT oid FROM pg_roles WHERE rolname = \(purpose.setting))
                                  AND grantee <> relowner) LOOP
                EXECUTE format('REVOKE ALL ON %s FROM %I', an_object, \(purpose.setting));
            END LOOP;

        """
    }

    private static func statements(_ purpose: Purpose, _ rights: [DatabaseRight]) -> String {
        var lines: [String] = []
        // Objects that get the same rights, in one statement.
        var objects: [(kind: DatabaseRight.Kind, name: String, privileges: [DatabaseRight.Privilege])] = []
        for right in rights {
            if let last = objects.last, last.kind == right.kind, last.name == right.object {
                objects[objects.count - 1].privileges.append(right.privilege)
            } else {
                objects.append((right.kind, right.object, [right.privilege]))
            }
        }
        while let first = objects.first {
            let same = objects.filter { $0.kind == first.kind && $0.privileges == first.privileges }
            objects.removeAll { $0.kind == first.kind && $0.privileges == first.privileges }
            lines.append(grant(first.privileges, on: first.kind, same.map(\.name), to: purpose))
        }
        if purpose == .serve {
            lines += ServiceRights.dailyTables.map { table in
                let privileges = rights.filter { $0.object == "attribution.\(table)" }.map(\.privilege.rawValue)
                return """
                        FOR an_object IN SELECT inhrelid::regclass FROM pg_inherits
                                          WHERE inhparent = 'attribution.\(table)'::regclass LOOP
                            EXECUTE format('GRANT \(privileges.joined(separator: ", ")) ON %s TO %I', an_object, \(purpose.setting));
                        END LOOP;
                    """
            }
        }
        lines.append(
            """
                FOR an_object IN SELECT format('%I.%I', nspname, relname)
                                   FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                                  WHERE relkind = 'v'
                                    AND (nspname = 'appsflyer' OR nspname = 'attribution' AND relname LIKE 'report\\_%') LOOP
                    EXECUTE format('GRANT SELECT ON %s TO %I', an_object, \(purpose.setting));
                END LOOP;
            """)
        return lines.joined(separator: "\n")
    }

    private static func grant(
        _ privileges: [DatabaseRight.Privilege], on kind: DatabaseRight.Kind, _ names: [String], to purpose: Purpose
    ) -> String {
        var text = "    EXECUTE format('GRANT \(privileges.map(\.rawValue).joined(separator: ", ")) ON \(kind.rawValue)"
        var width = text.utf8.count
        for (number, name) in names.enumerated() {
            let piece = name + (number + 1 < names.count ? "," : "")
            if width + piece.utf8.count > 110 {
                text += "\n        "
                width = 8
            }
            text += " " + piece
            width += piece.utf8.count + 1
        }
        return text + " TO %I',\n        \(purpose.setting));"
    }
}
