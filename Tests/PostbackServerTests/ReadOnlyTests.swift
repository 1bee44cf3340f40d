import Foundation
import NIOHTTP1
import PostgresClient
import TestSupport
import Testing

extension ServerTests {
    @Suite("Sessions that allow no writing")
    struct ReadOnlyTests {
        @Test(
            "After a database was read-only for a while, postbacks are stored again, and /ready says both",
            .installation)
        func readOnlyDatabase() async throws {
            let installation = try Installation.current
            let name = try #require(URLComponents(string: installation.database.url)?.path.dropFirst())
            let bodies = try installation.keys.simulate(seed: 11, count: 40)
            try await installation.withServer { server, client in
                let admin = try await client.admin(of: server)
                #expect(try await admin.request(.GET, "/ready").status == 200)
                try await installation.database.withSession { session in
                    try await session.execute(
                        script: """
                            ALTER DATABASE \(name) SET default_transaction_read_only = on;
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                             WHERE datname = current_database() AND pid <> pg_backend_pid();
                            """)
                    for body in bodies {
                        let answer = try await client.post(body)
                        #expect(answer.status == 503)
                        #expect(answer.outcome == "storage_unavailable")
                    }
                    #expect(try await admin.request(.GET, "/ready").status == 503)
                    #expect(try await admin.request(.GET, "/health").status == 200)
                    try await session.execute(script: "ALTER DATABASE \(name) RESET default_transaction_read_only")
                }
                try await Self.recovers(client, admin, bodies)
            }
            #expect(try await Offered.stored(installation.database) == Offered(bodies).highest)
        }

        @Test("With a standby first in the connection string, postbacks are stored, also after it was promoted")
        func standby() async throws {
            try await TestCluster.with { cluster in
                try await Installation.with(on: cluster.url) { installation in
                    try await cluster.withStandby { standby in
                        let bodies = try installation.keys.simulate(seed: 12, count: 40)
                        let url = try Self.hosts([standby.url, installation.database.url])
                        try await installation.withServer(["DATABASE_URL": TestDatabase(url: url).serving.url]) {
                            server, client in
                            let admin = try await client.admin(of: server)
                            #expect(try await admin.request(.GET, "/ready").status == 200)
                            for body in bodies.prefix(20) {
                                #expect(try await client.post(body).outcome == "accepted")
                            }
                            try await cluster.run("kill")
                            #expect(try await client.post(bodies[20]).status == 503)
                            #expect(try await admin.request(.GET, "/ready").status == 503)
                            try await Self.promote(standby)
                            try await Self.recovers(client, admin, bodies)
                        }
                    }
                }
            }
        }

        @Test("A server that has only a standby says that it is not ready, and is ready when it is promoted")
        func onlyStandby() async throws {
            try await TestCluster.with { cluster in
                try await Installation.with(on: cluster.url) { installation in
                    try await cluster.withStandby { standby in
                        let bodies = try installation.keys.simulate(seed: 13, count: 20)
                        let name = try #require(URLComponents(string: installation.database.url)?.path)
                        let url = standby.url.replacing("/attribution?", with: "\(name)?")
                        try await installation.withServer(["DATABASE_URL": TestDatabase(url: url).serving.url]) {
                            server, client in
                            let admin = try await client.admin(of: server)
                            #expect(try await admin.request(.GET, "/ready").status == 503)
                            #expect(try await client.post(bodies[0]).status == 503)
                            try await Self.promote(standby)
                            try await Self.recovers(client, admin, bodies)
                        }
                    }
                }
            }
        }

        /// Waits until postbacks are stored and the server is ready, without a restart.
        private static func recovers(
            _ client: PostbackClient, _ admin: PostbackClient, _ bodies: [[UInt8]]
        ) async throws {
            for body in bodies {
                try await eventually("postbacks are stored again") {
                    try await client.post(body).status == 200 ? true : nil
                }
            }
            try await eventually("the server is ready again") {
                try await admin.request(.GET, "/ready").status == 200 ? true : nil
            }
        }

        private static func promote(_ standby: TestCluster) async throws {
            let connection = try await PostgresConnection.connect(
                PostgresConfiguration(connectionString: standby.url), logger: .silent)
            try await connection.execute(script: "SELECT pg_promote()")
            await connection.close()
        }

        /// A connection string with the hosts of several, and the database of the last.
        private static func hosts(_ urls: [String]) throws -> String {
            let components = try urls.map { try #require(URLComponents(string: $0)) }
            let hosts = components.compactMap { $0.queryItems?.first { $0.name == "host" }?.value }
            var last = try #require(components.last)
            last.queryItems = [
                URLQueryItem(name: "host", value: hosts.joined(separator: ",")),
                URLQueryItem(name: "port", value: hosts.map { _ in "5432" }.joined(separator: ",")),
                URLQueryItem(name: "user", value: "attribution"),
            ]
            return try #require(last.string)
        }
    }
}
