import Foundation
import PostgresClient
import TestSupport
import Testing

extension ServerTests {
    @Suite("Lanes", .installation)
    struct LaneTests {
        @Test("A blocked lane does not block the others, and its postbacks are answered when it is free")
        func heldLane() async throws {
            let installation = try Installation.current
            let database = installation.database
            let (_, client) = try await installation.start()
            let postbacks = (0..<80).map { _ in TestPostback() }
            let lanes = try await database.lanes(
                of: try postbacks.map { try #require(UUID(uuidString: $0.transactionID)) })
            try #require(lanes.count == postbacks.count)
            let key = installation.keys.postbackKey
            let held = try zip(postbacks, lanes).filter { $1 == 0 }.map { try $0.0.body(key) }
            let free = try zip(postbacks, lanes).filter { $1 == 1 }.map { try $0.0.body(key) }
            try #require(held.count > 10 && free.count > 10)
            let answered = AnswerCount()
            let answers = try await database.withSession { session in
                try await session.execute(script: "SELECT pg_advisory_lock(742100164, 0)")
                async let waiting = client.stream(held, clients: held.count) { _, answer in
                    if answer?.status == 200 { _ = answered.increment() }
                    return true
                }
                try await eventually("a batch waits for the lane") {
                    try await database.hasWaiter(forLane: 0) ? true : nil
                }
                for body in free { #expect(try await client.post(body).outcome == "accepted") }
                #expect(try await database.column("SELECT DISTINCT lane FROM attribution.postback_state") == ["1"])
                #expect(answered.count == 0)
                try await session.execute(script: "SELECT pg_advisory_unlock(742100164, 0)")
                return await waiting
            }
            // On a slow machine the server may have refused the first of them while their batch still waited.
            for (body, answer) in zip(held, answers) where answer?.outcome != "accepted" {
                #expect(answer?.status == 503)
                #expect(["accepted", "duplicate"].contains(try await client.post(body).outcome))
            }
            #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "\(postbacks.count)")
            #expect(try await database.recounts() == [])
        }

        @Test("If a lane is blocked for too long, its postbacks are answered 503, not stored, and accepted later")
        func heldTooLong() async throws {
            let installation = try Installation.current
            let database = installation.database
            let (_, client) = try await installation.start()
            let postback = TestPostback()
            let body = try postback.body(installation.keys.postbackKey)
            let id = try #require(UUID(uuidString: postback.transactionID))
            let lane = try #require(try await database.lanes(of: [id]).first)
            try await database.withSession { session in
                try await session.execute(script: "SELECT pg_advisory_lock(742100164, lane) FROM attribution.lane")
                let answer = try await client.post(body)
                #expect(answer.status == 503)
                #expect(answer.outcome == "storage_unavailable")
                // The refusal may come before the batch stops waiting. It would store the postback if the lane
                // became free now.
                try await eventually("the batch gives the lane up") {
                    try await database.hasWaiter(forLane: lane) ? nil : true
                }
                #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "0")
            }
            #expect(try await client.post(body).outcome == "accepted")
            #expect(try await database.recounts() == [])
        }
    }
}
