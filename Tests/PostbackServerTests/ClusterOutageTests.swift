import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite(
        "A Citus cluster whose nodes fail", .enabled(if: TestEnvironment.hasCluster, TestEnvironment.clusterReason))
    struct ClusterOutageTests {
        /// Postbacks with the worker that has the lane of each, 0 or 1.
        private func postbacks(
            _ count: Int, campaign: Int = 42, _ installation: Installation
        ) async throws -> [(id: String, body: [UInt8], worker: Int)] {
            let postbacks = (0..<count).map { _ in TestPostback { $0.campaignID = campaign } }
            let ids = postbacks.map { "'\($0.transactionID)'::uuid" }.joined(separator: ", ")
            let nodes = try await installation.database.column(
                """
                SELECT nodename
                  FROM unnest(ARRAY[\(ids)]) WITH ORDINALITY AS id (transaction_id, number)
                  JOIN attribution.lane
                    ON attribution.transaction_hash(transaction_id) BETWEEN first_hash AND last_hash AND NOT is_closed
                  JOIN pg_dist_placement
                    ON shardid = get_shard_id_for_distribution_column('attribution.postback_state', lane)
                  JOIN pg_dist_node USING (groupid)
                 ORDER BY number
                """)
            try #require(nodes.count == count)
            let first = try CitusCluster.folder(ofWorker: 0)
            return try zip(postbacks, nodes).map { postback, node in
                (postback.transactionID, try postback.body(installation.keys.postbackKey), node == first ? 0 : 1)
            }
        }

        /// The number of batches by form, as the metrics tell it.
        private func batches(_ admin: PostbackClient) async throws -> [String: Int] {
            try await admin.request(.GET, "/metrics").text.matches(
                of: /\nadattribution_cluster_batches_total\{form="([a-z]+)",node="[^"]+"\} ([0-9]+)/
            ).reduce(into: [:]) { $0[String($1.1), default: 0] += Int($1.2) ?? 0 }
        }

        @Test(
            "If a worker is down, lanes of the other one go on; if the coordinator is down, all go on with known lines; nothing is lost"
        )
        func outages() async throws {
            try await OwnCitusCluster.with { cluster in
                try await Installation.with(migrated: false) { installation in
                    let database = installation.database
                    try await database.prepare()
                    try await CitusCluster.distribute(database, lanes: 4)
                    var counted: Set<String> = []
                    try await installation.withServer { server, client in
                        let admin = try await client.admin(of: server)
                        let first = try await postbacks(40, installation)
                        for answer in await client.stream(first.map(\.body), clients: 4) {
                            #expect(answer?.status == 200)
                        }
                        counted.formUnion(first.map(\.id))
                        #expect(try await batches(admin).keys.sorted() == ["direct"])

                        let second = try await postbacks(40, installation)
                        let third = try await postbacks(40, installation)
                        let other = try await postbacks(10, campaign: 43, installation)
                        #expect(Set(second.map(\.worker)) == [0, 1])
                        try await cluster.kill(.worker(0))
                        for (postback, answer) in zip(second, await client.stream(second.map(\.body), clients: 4)) {
                            #expect(answer?.status == (postback.worker == 0 ? 503 : 200))
                        }
                        for postback in other where postback.worker == 1 {
                            #expect(try await client.post(postback.body).status == 200)
                            counted.insert(postback.id)
                        }
                        let degraded = try await admin.request(.GET, "/ready")
                        #expect(degraded.status == 200)
                        let lost = "\(try CitusCluster.folder(ofWorker: 0)):5432"
                        let lanes = try await database.column(
                            """
                            SELECT lane::text
                              FROM attribution.lane
                              JOIN pg_dist_placement
                                ON shardid = get_shard_id_for_distribution_column('attribution.postback_state', lane)
                              JOIN pg_dist_node USING (groupid)
                             WHERE NOT is_closed AND nodename || ':' || nodeport = '\(lost)'
                             ORDER BY lane
                            """
                        ).compactMap(\.self)
                        #expect(!lanes.isEmpty)
                        let outage = "{\"worker\":\"\(lost)\",\"lanes\":[\(lanes.joined(separator: ","))]}"
                        #expect(degraded.text == "{\"status\":\"degraded\",\"outages\":[\(outage)]}\n")
                        let metric = "\nadattribution_lanes_unavailable{node=\"\(lost)\"} "
                        #expect(
                            try await admin.request(.GET, "/metrics").text.contains(metric + "\(lanes.count)\n"))
                        try await cluster.start(.worker(0))
                        try await eventually("no lane is unavailable") {
                            let ready = try await admin.request(.GET, "/ready")
                            return ready.text == "{\"status\":\"ready\"}\n" ? true : nil
                        }
                        #expect(try await admin.request(.GET, "/metrics").text.contains(metric + "0\n"))
                        for postback in second {
                            try await eventually("the worker is back") {
                                try await client.post(postback.body).status == 200 ? true : nil
                            }
                        }
                        counted.formUnion(second.map(\.id))
                        try await eventually("the server writes to the worker again") {
                            let before = try await batches(admin)["coordinator"] ?? 0
                            for postback in first { _ = try await client.post(postback.body) }
                            return try await batches(admin)["coordinator"] ?? 0 == before ? true : nil
                        }

                        let unknown = TestPostback { $0.campaignID = 44 }
                        let unknownBody = try unknown.body(installation.keys.postbackKey)
                        try await cluster.kill(.coordinator)
                        for answer in await client.stream(third.map(\.body), clients: 4) {
                            #expect(answer?.outcome == "accepted")
                        }
                        counted.formUnion(third.map(\.id))
                        for postback in second { #expect(try await client.post(postback.body).outcome == "duplicate") }
                        #expect(try await client.post(unknownBody).status == 503)
                        #expect(try await admin.request(.GET, "/ready").status == 200)
                        try await cluster.start(.coordinator)
                        try await eventually("the coordinator is back") {
                            try await client.post(unknownBody).status == 200 ? true : nil
                        }
                        counted.insert(unknown.transactionID)
                        #expect(server.isRunning)
                    }
                    let stored = try await database.column("SELECT transaction_id::text FROM attribution.postback")
                    #expect(stored.count == counted.count)
                    #expect(Set(stored.compactMap(\.self)) == counted)
                    #expect(try await database.recount() == [])
                }
            }
        }

        @Test("A server that can reach no worker writes through the coordinator, and says so")
        func fallback() async throws {
            try await TestDatabase.$isDistributed.withValue(true) {
                try await Installation.with { installation in
                    let addresses = try (0...1).map { "\(try CitusCluster.folder(ofWorker: $0)):5432=/nowhere:1" }
                    try await installation.withServer(["WORKER_ADDRESSES": addresses.joined(separator: ",")]) {
                        server, client in
                        for postback in try await postbacks(20, installation) {
                            #expect(try await client.post(postback.body).status == 200)
                        }
                        let admin = try await client.admin(of: server)
                        #expect(try await batches(admin).keys.sorted() == ["coordinator"])
                        #expect(try await admin.request(.GET, "/ready").status == 200)
                        #expect(server.lines.contains { $0.contains("worker can't be reached") })
                    }
                    #expect(try await installation.database.recount() == [])
                }
            }
        }
    }
}
