import AdAttribution
import Foundation
import NIOHTTP1
import PostbackSimulation
import PostgresClient
import TestSupport
import Testing

extension ServerTests {
    @Suite("A stream of postbacks")
    struct StreamTests {
        @Test(
            "20,000 postbacks from 16 clients to two servers: each key is accepted once, with the highest value, without a deadlock",
            .installation)
        func twoServers() async throws {
            let log = try #require(TestEnvironment.databaseLog)
            let installation = try Installation.current
            let bodies = try installation.keys.simulate(seed: 1, count: 20_000) {
                $0.duplicates = 0.1
                $0.raises = 0.05
                $0.isShuffled = true
            }
            let logSize = try Data(contentsOf: URL(filePath: log)).count
            let answers = try await installation.withServer { _, first in
                try await installation.withServer { _, second in
                    // Every other delivery of the list goes to the other server.
                    let halves = [0, 1].map { half in
                        bodies.enumerated().filter { $0.offset % 2 == half }.map(\.element)
                    }
                    async let left = first.stream(halves[0], clients: 8)
                    async let right = second.stream(halves[1], clients: 8)
                    return await zip(halves[0] + halves[1], left + right).map { ($0, $1) }
                }
            }
            var accepted: [String: Int] = [:]
            for (body, answer) in answers {
                #expect(answer?.status == 200)
                if answer?.outcome == "accepted" { accepted[try Offered.read(body).key, default: 0] += 1 }
            }
            let offered = try Offered(bodies).highest
            #expect(accepted == offered.mapValues { _ in 1 })
            #expect(try await Offered.stored(installation.database) == offered)
            #expect(try await installation.database.recounts() == [])
            let written = try Data(contentsOf: URL(filePath: log)).dropFirst(logSize)
            #expect(!String(decoding: written, as: UTF8.self).contains("deadlock detected"))
        }

        @Test("After kill -9 of the server every postback that got 200 is stored once, and nothing else", .installation)
        func killedServer() async throws {
            let installation = try Installation.current
            let bodies = try installation.keys.simulate(seed: 2, count: 4_000) {
                $0.duplicates = 0.1
                $0.raises = 0.05
                $0.isShuffled = true
            }
            let answered = AnswerCount()
            var answers = try await installation.withServer { server, client in
                await client.stream(bodies, clients: 16) { _, answer in
                    if answered.increment() == 1_000 { try? await server.kill() }
                    return answer != nil
                }
            }
            let acknowledged = answers.count { $0?.status == 200 }
            #expect((900..<4_000).contains(acknowledged))
            try await Offered.checkNothingLost(bodies, answers, in: installation.database)

            // Devices deliver again what got no 200.
            let open = bodies.indices.filter { answers[$0]?.status != 200 }
            let again = try await installation.withServer { _, client in
                await client.stream(open.map { bodies[$0] }, clients: 16)
            }
            for (index, answer) in zip(open, again) { answers[index] = answer }
            #expect(answers.allSatisfy { $0?.status == 200 })
            #expect(try await Offered.stored(installation.database) == Offered(bodies).highest)
            #expect(try await installation.database.recounts() == [])
        }

        @Test(
            "Two servers, one of them killed, beside an open transaction lose and double nothing, and the recounts agree",
            .installation)
        func longTransaction() async throws {
            let installation = try Installation.current
            let bodies = try installation.keys.simulate(seed: 5, count: 6_000) {
                $0.duplicates = 0.1
                $0.raises = 0.1
                $0.isShuffled = true
            }
            let database = installation.database
            try await database.withSession { session in
                // It has written and it has a snapshot, so it holds back what others may clean up.
                try await session.execute(
                    script: """
                        BEGIN ISOLATION LEVEL REPEATABLE READ;
                        CREATE TABLE public.held AS SELECT count(*) AS postbacks FROM attribution.postback;
                        """)
                try await installation.withServer { _, first in
                    let (mine, others) = (Array(bodies.prefix(3_000)), Array(bodies.dropFirst(3_000)))
                    let answered = AnswerCount()
                    let lost = try await installation.withServer { killed, second in
                        async let left = first.stream(mine, clients: 8)
                        let right = await second.stream(others, clients: 8) { _, answer in
                            if answered.increment() == 1_000 { try? await killed.kill() }
                            return answer != nil
                        }
                        #expect(await left.allSatisfy { $0?.status == 200 })
                        #expect((900..<3_000).contains(right.count { $0?.status == 200 }))
                        try await Offered.checkNothingLost(mine + others, await left + right, in: database)
                        return zip(others, right).filter { $1?.status != 200 }.map(\.0)
                    }
                    #expect(await first.stream(lost, clients: 8).allSatisfy { $0?.status == 200 })
                }
                #expect(try await Offered.stored(database) == Offered(bodies).highest)
                #expect(try await database.recounts() == [])
                try await session.execute(script: "COMMIT")
            }
            #expect(try await database.value("SELECT postbacks FROM public.held") == "0")
            #expect(try await database.recounts() == [])
        }

        @Test(
            "After kill -9 of PostgreSQL the server answers 503, recovers without a restart, and loses and doubles nothing"
        )
        func killedDatabase() async throws {
            try await TestCluster.with { cluster in
                try await Installation.with(on: cluster.url) { installation in
                    let bodies = try installation.keys.simulate(seed: 3, count: 4_000) {
                        $0.duplicates = 0.1
                        $0.raises = 0.05
                        $0.isShuffled = true
                    }
                    let (server, client) = try await installation.start()
                    let admin = try await client.admin(of: server)
                    #expect(try await admin.request(.GET, "/ready").status == 200)
                    let answered = AnswerCount()
                    var answers = await client.stream(bodies, clients: 16) { _, _ in
                        if answered.increment() == 1_000 { try? await cluster.run("kill") }
                        return true
                    }
                    #expect(answers.allSatisfy { [200, 503].contains($0?.status) })
                    let refused = answers.compactMap { $0 }.filter { $0.status == 503 }
                    #expect(refused.count > 1_000)
                    #expect(refused.allSatisfy { ["storage_unavailable", "overloaded"].contains($0.outcome) })
                    #expect(refused.allSatisfy { $0.headers["retry-after"] == ["30"] })
                    #expect(try await admin.request(.GET, "/ready").status == 503)
                    #expect(try await admin.request(.GET, "/health").status == 200)

                    try await cluster.run("start")
                    try await eventually("the server is ready again") {
                        try await admin.request(.GET, "/ready").status == 200 ? true : nil
                    }
                    try await Offered.checkNothingLost(bodies, answers, in: installation.database)
                    let open = bodies.indices.filter { answers[$0]?.status != 200 }
                    let again = await client.stream(open.map { bodies[$0] }, clients: 16)
                    for (index, answer) in zip(open, again) { answers[index] = answer }
                    #expect(answers.allSatisfy { $0?.status == 200 })
                    #expect(try await Offered.stored(installation.database) == Offered(bodies).highest)
                    #expect(try await installation.database.recounts() == [])
                    #expect(server.isRunning)
                }
            }
        }

        @Test(
            "After SIGTERM, requests that have begun are answered and stored, impressions are flushed, and the exit code is 0",
            .installation)
        func terminated() async throws {
            let installation = try Installation.current
            let bodies = try installation.keys.simulate(seed: 4, count: 3_000)
            let (server, client) = try await installation.start()
            let admin = try await client.admin(of: server)
            let answered = AnswerCount()
            let answers = await client.stream(bodies, clients: 16) { _, answer in
                if answered.increment() == 800 {
                    let signed = try? await admin.request(
                        .POST, "/v1/impressions", headers: Installation.authorization,
                        body: Array(Installation.impression.utf8))
                    #expect(signed?.status == 200)
                    server.terminate()
                }
                return answer != nil
            }
            #expect(try await server.exitCode() == 0)
            #expect(answers.count { $0?.status == 200 } >= 800)
            #expect(answers.allSatisfy { $0 == nil || $0?.status == 200 })
            try await Offered.checkNothingLost(bodies, answers, in: installation.database)
            #expect(
                try await installation.database.value(
                    "SELECT impressions FROM attribution.report_campaign WHERE impressions > 0") == "1")
        }
    }
}
