import NIOHTTP1
import PostgresClient
import TestSupport
import Testing

extension ServerTests {
    @Suite("More than the queue holds")
    struct OverflowTests {
        @Test(
            "Postbacks that a full queue refuses are answered 503 and not stored, and all others are counted",
            .installation)
        func overflow() async throws {
            let installation = try Installation.current
            // In each lane one postback is in the batch, and one in the queue.
            let settings = ["INGEST_QUEUE_CAPACITY": "1", "INGEST_BATCH_SIZE": "1"]
            let (_, client) = try await installation.start(settings)
            let bodies = try installation.keys.simulate(seed: 9, count: 16)
            let holder = try await PostgresConnection.connect(
                PostgresConfiguration(connectionString: installation.database.url), logger: .silent)
            try await holder.execute(script: "SELECT pg_advisory_lock(742100164, lane) FROM attribution.lane")
            let answers = await client.stream(bodies, clients: 16) { _, answer in
                // The first refusal shows that the queue is full. Closing the connection frees the lanes.
                if answer?.outcome == "overloaded" { await holder.close() }
                return true
            }
            #expect(answers.contains { $0?.outcome == "accepted" })
            let refused = answers.indices.filter { answers[$0]?.outcome != "accepted" }
            #expect(!refused.isEmpty)
            for answer in refused.map({ answers[$0] }) {
                #expect(answer?.outcome == "overloaded")
                #expect(answer?.status == 503)
                #expect(answer?.headers.contains(name: "retry-after") == true)
            }
            let stored = try await installation.database.value("SELECT count(*) FROM attribution.postback")
            #expect(stored == "\(bodies.count - refused.count)")

            // The device delivers again.
            for index in refused {
                #expect(try await client.post(bodies[index]).outcome == "accepted")
            }
            #expect(try await Offered.stored(installation.database) == Offered(bodies).highest)
        }
    }
}
