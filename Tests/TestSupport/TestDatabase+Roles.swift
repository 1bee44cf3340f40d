import DatabaseSchema
import Foundation

/// The roles of the throw-away clusters: tests ask as a superuser; what they test is not one.
extension TestDatabase {
    /// The role that owns databases and migrates.
    static let ownerName = "test_owner"
    /// The role of stores, servers and commands.
    static let servingName = "test_serve"

    /// The same database as its owner sees it.
    package var owner: TestDatabase { self.as(Self.ownerName) }

    /// The same database as servers and commands see it.
    package var serving: TestDatabase { self.as(Self.servingName) }

    /// The same database as a role sees it; its stores have this role too.
    package func `as`(_ role: String) -> TestDatabase {
        guard var components = URLComponents(string: url) else { return self }
        components.queryItems =
            (components.queryItems ?? []).filter { $0.name != "user" } + [URLQueryItem(name: "user", value: role)]
        return TestDatabase(url: components.string ?? url, hasRole: true)
    }

    /// Gives the roles their rights on what is in the schema now: after each `migrate`.
    package func grantRights() async throws {
        let script = try GrantScript([.owner: Self.ownerName, .serve: Self.servingName]).text
        guard CitusCluster.has(self) else { return try await run(script) }
        try await CitusCluster.writingRoles { try await run(script) }
    }

    /// Makes the roles on a cluster, if they are not there.
    func makeRoles() async throws {
        for role in [Self.ownerName, Self.servingName] {
            try await run(
                """
                DO $$ BEGIN CREATE ROLE \(role) LOGIN;
                EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$
                """)
        }
    }

    /// Lets the serving role use what a test makes beside ours: tables and sequences of its triggers, and its views.
    func grantWhatTestsMake() async throws {
        try await run(
            """
            ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO \(Self.servingName);
            ALTER DEFAULT PRIVILEGES IN SCHEMA attribution GRANT SELECT ON TABLES TO \(Self.servingName);
            ALTER DEFAULT PRIVILEGES IN SCHEMA attribution GRANT USAGE ON SEQUENCES TO \(Self.servingName);
            """)
    }
}
