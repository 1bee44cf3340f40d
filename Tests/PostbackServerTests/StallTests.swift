import NIOHTTP1
import PostgresClient
import TestSupport
import Testing

extension ServerTests {
    @Suite("A database that stalls")
    struct StallTests {
        @Test("While PostgreSQL is stopped, every postback is refused, /ready says no, and both are back afterwards")
        func stopped() async throws {
            try await TestCluster.with { cluster in
                try await Installation.with(on: cluster.url) { installation in
                    let settings = ["INGEST_DEADLINE": "2", "INGEST_QUEUE_CAPACITY": "40", "INGEST_BATCH_SIZE": "10"]
                    let (server, client) = try await installation.start(settings)
                    let admin = try await client.admin(of: server)
                    let bodies = try installation.keys.simulate(seed: 14, count: 300)
                    let refusedBodies = Array(repeating: Array("{}".utf8), count: 40)
                    #expect(try await client.post(bodies[0]).outcome == "accepted")
                    #expect(try await admin.request(.GET, "/ready").status == 200)
                    // PostgreSQL goes on only after all of this was answered.
                    let answers = try await cluster.whileStopped {
                        async let quarantine = client.stream(refusedBodies, clients: 20)
                        let answers = await client.stream(bodies, clients: 60)
                        #expect(await quarantine.allSatisfy { $0?.status == 503 })
                        let ready = try await admin.request(.GET, "/ready")
                        #expect(ready.status == 503)
                        #expect(try await admin.request(.GET, "/health").status == 200)
                        let metrics = try await admin.request(.GET, "/metrics").text
                        #expect(metrics.contains("\nadattribution_ingest_queue_postbacks 0\n"))
                        return answers
                    }
                    // At most 10 of a lane are in the batch and 20 in its queue; the others find it full.
                    #expect(answers.allSatisfy { $0?.status == 503 || $0?.outcome == "duplicate" })
                    let outcomes = Set(answers.compactMap { $0?.outcome })
                    #expect(outcomes.isSubset(of: ["storage_unavailable", "overloaded", "duplicate"]))
                    #expect(answers.contains { $0?.detail?.contains("in time") == true })
                    for body in bodies {
                        try await eventually("postbacks are stored again") {
                            try await client.post(body).status == 200 ? true : nil
                        }
                    }
                    try await eventually("the server is ready again") {
                        try await admin.request(.GET, "/ready").status == 200 ? true : nil
                    }
                    #expect(try await Offered.stored(installation.database) == Offered(bodies).highest)
                    #expect(try await installation.database.recounts() == [])
                }
            }
        }

        @Test(
            "Told to stop while PostgreSQL is stopped, it refuses what waits and ends, whatever its own work waits for")
        func toldToStop() async throws {
            try await TestCluster.with { cluster in
                try await Installation.with(on: cluster.url) { installation in
                    let bodies = try installation.keys.simulate(seed: 16, count: 200)
                    let (server, client) = try await installation.start(["INGEST_DEADLINE": "5"])
                    let admin = try await client.admin(of: server)
                    #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
                    try await cluster.whileStopped {
                        async let answers = client.stream(bodies, clients: 200)
                        try await eventually("clients wait") {
                            let metrics = try await admin.request(.GET, "/metrics").text
                            return metrics.contains("\nadattribution_ingest_queue_postbacks 0\n") ? nil : true
                        }
                        // By then the work at intervals waits for PostgreSQL too.
                        try await Task.sleep(for: .seconds(2))
                        let begin = ContinuousClock.now
                        server.terminate()
                        #expect(try await server.exitCode() == 0)
                        // It is told to end within seven. Its statements would take until the thirtieth or later.
                        #expect(ContinuousClock.now - begin < .seconds(20))
                        #expect(await answers.allSatisfy { $0 == nil || $0?.status == 503 })
                    }
                }
            }
        }

        @Test("Postbacks whose clients have left are not stored, and leave room for others", .installation)
        func left() async throws {
            let installation = try Installation.current
            let settings = ["INGEST_QUEUE_CAPACITY": "2", "INGEST_BATCH_SIZE": "1", "INGEST_DEADLINE": "3600"]
            let (server, client) = try await installation.start(settings)
            let admin = try await client.admin(of: server)
            let bodies = try installation.keys.simulate(seed: 15, count: 40)
            try await installation.database.withSession { session in
                try await session.execute(
                    script: "BEGIN; SELECT pg_advisory_xact_lock(742100164, lane) FROM attribution.lane")
                // One of each lane is in its batch, one in its queue. All of their clients leave. Those that find a full
                // queue come again: if the first of a lane is not in its batch yet, it fills the queue alone.
                try await PostbackClient.with(port: client.port) { leaving in
                    let tasks = bodies.prefix(20).map { body in
                        Task {
                            while try await leaving.post(body).outcome == "overloaded" {
                                try await Task.sleep(for: .milliseconds(100))
                            }
                        }
                    }
                    try await eventually("the queue is full") {
                        let metrics = try await admin.request(.GET, "/metrics").text
                        return metrics.contains("\nadattribution_ingest_queue_postbacks 2\n") ? true : nil
                    }
                    for task in tasks { task.cancel() }
                    for task in tasks { _ = await task.result }
                }
                try await eventually("the queue is empty") {
                    let metrics = try await admin.request(.GET, "/metrics").text
                    return metrics.contains("\nadattribution_ingest_queue_postbacks 0\n") ? true : nil
                }
                try await session.execute(script: "COMMIT")
            }
            for body in bodies.dropFirst(20) { #expect(try await client.post(body).outcome == "accepted") }
            // Those of the two batches under way may be stored; nothing that waited behind them is.
            let stored = try await installation.database.value("SELECT count(*) FROM attribution.postback")
            #expect((20...22).contains(Int(stored ?? "") ?? 0))
        }
    }
}
