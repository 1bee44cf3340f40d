import Destinations
import EventLog
import Foundation
import NIOCore
import NIOHTTP1
import PostbackStore
import PostgresClient
import ReceiverSupport
import Synchronization
import TestSupport
import Testing

@testable import Forwarding

@Suite(
    "Sending to destinations", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason),
    .database(connections: 8), .ownThread)
struct ForwardingServiceTests {
    private let forwarder: Forwarder

    init() throws {
        forwarder = try Forwarder()
    }

    @Test("A destination gets each event that is counted once, byte for byte, and the day's figures say so")
    func all() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
            try await forwarder.load(port: receiver.port)
            try await forwarder.count(300)
            try await forwarder.running {
                try await forwarder.delivered(to: receiver)
                try await forwarder.count(10)
                try await forwarder.delivered(to: receiver)
                try await forwarder.settled()
            }
            #expect(receiver.webhookIDs.count == 310)
            #expect(Set(receiver.webhookIDs).count == 310)
            let bodies = try await forwarder.database.column(
                "SELECT payload FROM attribution.postback_body")
            #expect(
                Set(bodies.compactMap { $0 }) == Set(receiver.requests.map { String(decoding: $0.body, as: UTF8.self) })
            )
            try await forwarder.database.expect(
                "SELECT destination, sent, retried, failed, dead FROM attribution.delivery_daily",
                """
                destination  sent  retried  failed  dead
                receiver     310   0        0       0
                """)
        }
    }

    @Test("A server that stops in order finishes what is under way, stores it and gives its lease up")
    func gracefulStop() async throws {
        try await TestReceiver.with(react: { _, _ in .late(200, after: .milliseconds(300)) }) { receiver in
            try await forwarder.load(port: receiver.port)
            try await forwarder.count(40)
            let begin = ContinuousClock.now
            var stop = begin
            try await forwarder.running {
                _ = try await eventually("requests are under way") { receiver.requests.isEmpty ? nil : true }
                stop = .now
            }
            let end = ContinuousClock.now
            try await forwarder.database.expect(
                "SELECT leader IS NULL AS free FROM attribution.destination",
                """
                free
                true
                """)
            // What is not finished a second after the stop, or after two seconds, has a row and may come again.
            let rows = try await forwarder.database.column(
                "SELECT 'pb_' || concat_ws('-', lane, position, ordinal) FROM attribution.delivery"
            ).compactMap { $0 }
            if end - stop < .seconds(1), end - begin < .seconds(2) { #expect(rows.isEmpty) }
            try await forwarder.running {
                try await forwarder.delivered(to: receiver)
                try await forwarder.settled()
            }
            let requests = Dictionary(grouping: receiver.webhookIDs) { $0 }
            #expect(requests.count == 40)
            #expect(requests.allSatisfy { $0.value.count == 1 || rows.contains($0.key) }, "\(rows)")
        }
    }

    @Test(
        "If a server is killed, another one takes over when the lease is over; nothing is lost, and at most 500 come again"
    )
    func kill() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
            try await forwarder.load(port: receiver.port, #""limits": {"in-flight": 256, "timeout-seconds": 60}"#)
            try await forwarder.count(2_000)
            for round in 1...3 {
                try await forwarder.killed {
                    _ = try await eventually("some are sent") { receiver.requests.count > round * 300 ? true : nil }
                }
                try await forwarder.endLeases()
            }
            try await forwarder.running {
                try await forwarder.delivered(to: receiver)
                try await forwarder.settled()
            }
            #expect(receiver.webhookIDs.count - 2_000 <= 3 * CommitState.exposureLimit)
        }
    }

    @Test("A server whose lease another one took sends and stores nothing more")
    func leaseLost() async throws {
        try await TestReceiver.with(react: { _, _ in .late(200, after: .milliseconds(50)) }) { receiver in
            try await forwarder.load(port: receiver.port, #""limits": {"in-flight": 1, "timeout-seconds": 60}"#)
            try await forwarder.count(200)
            try await forwarder.killed {
                try await eventually("some are sent") { receiver.requests.count > 5 ? true : nil }
                try await forwarder.database.run(
                    """
                    UPDATE attribution.destination
                       SET leader = gen_random_uuid(), fence = fence + 1, lease_until = 'infinity'
                    """)
                let sent = "SELECT coalesce(sum(sent), 0) FROM attribution.delivery_daily"
                let stored = try await forwarder.database.value(sent)
                var before = receiver.requests.count
                try await eventually("the server stops") {
                    try await Task.sleep(for: .seconds(1))
                    defer { before = receiver.requests.count }
                    return before == receiver.requests.count ? true : nil
                }
                #expect(try await forwarder.database.value(sent) == stored)
            }
        }
    }

    @Test("Two servers share the destinations, and one of them takes all when the other one stops")
    func twoServers() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
            for name in ["a", "b", "c", "d"] { try await forwarder.load(name, port: receiver.port) }
            let leaders = "SELECT count(DISTINCT leader) || ' ' || count(leader) FROM attribution.destination"
            try await forwarder.running {
                try await eventually("one has all") {
                    try await forwarder.database.value(leaders) == "1 4" ? true : nil
                }
                try await forwarder.running {
                    try await eventually("each has two") {
                        let shares = try await forwarder.database.column(
                            "SELECT count(*) FROM attribution.destination WHERE leader IS NOT NULL GROUP BY leader")
                        return shares == ["2", "2"] ? true : nil
                    }
                    try await forwarder.count(50)
                    try await eventually("all have all") {
                        let events = receiver.requests.map { [$0.path] + $0.headers["webhook-id"] }
                        return Set(events).count == 200 ? true : nil
                    }
                }
                try await eventually("one has all again") {
                    try await forwarder.database.value(leaders) == "1 4" ? true : nil
                }
            }
            // One takes four, the other one gets two of them and gives them back: then nothing comes twice. If the machine
            // stood still for a lease's ten seconds, others began in between.
            let beginnings = try await forwarder.database.value("SELECT sum(fence) FROM attribution.destination")
            #expect(receiver.requests.count == 200 || beginnings != "8")
        }
    }

    @Test("A destination that never answers delays no other one")
    func hanging() async throws {
        try await TestReceiver.with(react: { _, _ in .silence }) { hanging in
            try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
                for name in ["hangs-1", "hangs-2", "hangs-3"] { try await forwarder.load(name, port: hanging.port) }
                try await forwarder.load(port: receiver.port)
                try await forwarder.count(500)
                try await forwarder.running {
                    try await forwarder.delivered(to: receiver)
                    try await forwarder.settled()
                    // What hangs has rows, so that it holds no cursor back.
                    try await eventually("rows of requests that hang") {
                        try await forwarder.database.value(
                            """
                            SELECT count(DISTINCT destination) FROM attribution.delivery
                             WHERE state = 'waiting' AND destination <> 'receiver'
                            """) == "3" ? true : nil
                    }
                }
                #expect(receiver.requests.count == 500)
            }
        }
    }

    @Test("A delivery that fails is tried again by the schedule, with the same webhook-id, and its row goes")
    func retried() async throws {
        try await TestReceiver.with(react: { _, number in number <= 3 ? .status(503) : .status(200) }) { receiver in
            try await forwarder.load(port: receiver.port, #""retry": ["1s", "1s", "1s", "1s"]"#)
            try await forwarder.count(2)
            try await forwarder.running {
                try await eventually("five requests") { receiver.requests.count == 5 ? true : nil }
                try await forwarder.settled()
            }
            #expect(Set(receiver.webhookIDs).count == 2)
            try await forwarder.database.expect(
                "SELECT sent, failed, dead FROM attribution.delivery_daily",
                """
                sent  failed  dead
                2     3       0
                """)
        }
    }

    @Test("After the last retry a delivery is a dead letter with its request, status and answer; retry sends it again")
    func dead() async throws {
        let isMended = Mutex(false)
        try await TestReceiver.with(
            react: { _, _ in isMended.withLock { $0 } ? .status(200) : .status(422, body: "no such app") }
        ) { receiver in
            try await forwarder.load(port: receiver.port, #""retry": ["1s"]"#)
            try await forwarder.count(1)
            try await forwarder.running {
                let dead = "SELECT count(*) FROM attribution.delivery WHERE state = 'dead'"
                try await eventually("a dead letter") { try await forwarder.database.value(dead) == "1" ? true : nil }
                try await forwarder.database.expect(
                    """
                    SELECT state, attempt, last_status, last_error, convert_from(answer, 'UTF8') AS answer, method
                      FROM attribution.delivery
                    """,
                    """
                    state  attempt  last_status  last_error  answer       method
                    dead   2        422          status 422  no such app  POST
                    """)
                isMended.withLock { $0 = true }
                let name = try #require(DestinationName("receiver"))
                #expect(try await forwarder.store.retryDead(name, .all) == 1)
                try await forwarder.settled()
                try await eventually("no dead letter") { try await forwarder.database.value(dead) == "0" ? true : nil }
            }
            #expect(receiver.requests.count == 3)
        }
    }

    @Test("An answer counts as delivered as the destination's file says", arguments: [(204, "2xx"), (404, "[404]")])
    func success(status: Int, rule: String) async throws {
        try await TestReceiver.with(react: { _, _ in .status(status) }) { receiver in
            let text = rule.hasPrefix("[") ? rule : #""\#(rule)""#
            try await forwarder.load(port: receiver.port, #""success": \#(text)"#)
            try await forwarder.count(1)
            try await forwarder.running {
                try await forwarder.delivered(to: receiver)
                try await forwarder.settled()
            }
            let stored = try await forwarder.database.value("SELECT sum(sent) FROM attribution.delivery_daily")
            #expect(stored == "1")
            #expect(receiver.requests.count == 1)
        }
    }

    @Test("An answer of more than 16 KiB counts by its status: each event is delivered once, and nothing fails")
    func longAnswer() async throws {
        let body = String(repeating: "x", count: 100_000)
        try await TestReceiver.with(react: { _, _ in .status(200, body: body) }) { receiver in
            try await forwarder.load(port: receiver.port)
            try await forwarder.count(30)
            try await forwarder.running {
                try await forwarder.delivered(to: receiver)
                try await forwarder.settled()
            }
            #expect(receiver.requests.count == 30)
            try await forwarder.database.expect(
                "SELECT sent, retried, failed, dead FROM attribution.delivery_daily",
                """
                sent  retried  failed  dead
                30    0        0       0
                """)
        }
    }

    @Test("An event that can't become a request is a dead letter at once, and the others are sent")
    func unsendable() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
            try await forwarder.load(port: receiver.port)
            try await forwarder.count(3)
            // As retention does.
            try await forwarder.database.run(
                """
                DELETE FROM attribution.postback_body
                 WHERE transaction_id = (SELECT min(transaction_id::text)::uuid FROM attribution.postback_log)
                """)
            try await forwarder.running { try await forwarder.settled() }
            #expect(receiver.requests.count == 2)
            try await forwarder.database.expect(
                "SELECT state, is_sendable FROM attribution.delivery",
                """
                state  is_sendable
                dead   false
                """)
        }
    }

    @Test("Events of one postback arrive one after the other, in their order, though others overtake them")
    func order() async throws {
        try await TestReceiver.with(react: { _, number in .late(200, after: .milliseconds(Int64(number % 7) * 20)) }) {
            receiver in
            try await forwarder.load(port: receiver.port)
            for _ in 1...10 {
                let raises = try forwarder.deliveries.ofOnePostback([.fine(1), .fine(5), .fine(9), .fine(20)])
                for delivery in raises { _ = try await forwarder.store.record([delivery])[0].get() }
            }
            try await forwarder.running {
                try await forwarder.delivered(to: receiver)
                try await forwarder.settled()
            }
            let order = try await forwarder.database.column(
                """
                SELECT string_agg('pb_' || concat_ws('-', lane, position, ordinal), ' ' ORDER BY position, ordinal)
                  FROM attribution.postback_log GROUP BY transaction_id
                """
            ).compactMap { $0 }
            #expect(order.count == 10)
            let arrived = receiver.webhookIDs
            for ids in order.map({ $0.split(separator: " ").map(String.init) }) {
                #expect(arrived.filter { ids.contains($0) } == ids)
            }
        }
    }

    @Test("A slow request does not hold the cursor back: it gets a row, which goes when it succeeds")
    func straggler() async throws {
        let slow = HeldAnswers()
        try await TestReceiver.with(
            react: { _, number in number == 1 ? .held(slow, 200) : .status(200) }
        ) { receiver in
            try await forwarder.load(port: receiver.port)
            try await forwarder.count(20)
            try await forwarder.running {
                try await eventually("a row of the slow one") {
                    try await forwarder.database.value("SELECT count(*) FROM attribution.delivery") == "1" ? true : nil
                }
                try await eventually("the cursor is at the end") {
                    try await forwarder.store.destinationStatuses().map(\.lagSeconds) == [0] ? true : nil
                }
                slow.release()
                try await forwarder.settled()
            }
            #expect(receiver.requests.count == 20)
            try await forwarder.database.expect(
                "SELECT sent, retried, failed FROM attribution.delivery_daily",
                """
                sent  retried  failed
                20    0        0
                """)
        }
    }

    @Test("410 switches a destination off with the reason; what was not delivered is sent when it is resumed")
    func gone() async throws {
        let isGone = Mutex(true)
        try await TestReceiver.with(react: { _, _ in isGone.withLock { $0 } ? .status(410) : .status(200) }) {
            receiver in
            try await forwarder.load(
                port: receiver.port, #""limits": {"in-flight": 1, "timeout-seconds": 60}, "retry": ["1s"]"#)
            try await forwarder.count(5)
            try await forwarder.running {
                try await eventually("it is off") {
                    try await forwarder.database.value("SELECT state FROM attribution.destination") == "off"
                        ? true : nil
                }
                #expect(receiver.requests.count == 1)
                try await forwarder.database.expect(
                    "SELECT state_reason FROM attribution.destination",
                    """
                    state_reason
                    the receiver answered 410 Gone
                    """)
                isGone.withLock { $0 = false }
                try await forwarder.store.resumeDestination(#require(DestinationName("receiver")))
                try await forwarder.delivered(to: receiver)
                try await forwarder.settled()
            }
            #expect(receiver.requests.count == 6)
        }
    }

    @Test("A destination that is paused gets nothing, and one whose file is changed goes on with the new file")
    func pauseAndChange() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { old in
            try await TestReceiver.with(react: { _, _ in .status(200) }) { new in
                let name = try #require(DestinationName("receiver"))
                try await forwarder.load(port: old.port)
                try await forwarder.running {
                    try await forwarder.count(3)
                    try await forwarder.delivered(to: old)
                    try await forwarder.settled()
                    try await forwarder.store.pauseDestination(name, reason: "maintenance")
                    try await eventually("nobody sends") {
                        try await forwarder.database.value(
                            "SELECT count(*) FROM attribution.destination WHERE leader IS NULL") == "1" ? true : nil
                    }
                    try await forwarder.count(2)
                    try await forwarder.load(port: new.port)
                    try await forwarder.store.resumeDestination(name)
                    try await forwarder.settled()
                }
                #expect(old.requests.count == 3)
                #expect(new.requests.count == 2)
            }
        }
    }

    @Test("After the file is mended everything goes to the new URL at once, though requests to the old one fail")
    func mended() async throws {
        try await TestReceiver.with(react: { _, _ in .status(500) }) { old in
            try await TestReceiver.with(react: { _, _ in .status(200) }) { new in
                let waits = Array(repeating: #""1s""#, count: 30).joined(separator: ", ")
                let retry = #""retry": [\#(waits)]"#
                try await forwarder.load(port: old.port, retry)
                try await forwarder.count(200)
                let all = try await forwarder.eventIDs()
                try await forwarder.running {
                    let isOpen = "SELECT is_breaker_open FROM attribution.destination"
                    try await eventually("only probes are sent") {
                        try await forwarder.database.value(isOpen) == "true" ? true : nil
                    }
                    try await forwarder.load(port: new.port, retry)
                    try await eventually("the new receiver has all that did not fail before") {
                        all.subtracting(old.webhookIDs).isSubset(of: new.webhookIDs) ? true : nil
                    }
                    #expect(!new.requests.isEmpty)
                    // What failed goes where it went before, and that holds nothing back.
                    let tried = old.requests.count
                    try await eventually("the old receiver is tried") { old.requests.count > tried + 40 ? true : nil }
                    #expect(try await forwarder.database.value(isOpen) == "false")
                    try await forwarder.count(10)
                    let more = try await forwarder.eventIDs().subtracting(all)
                    try await eventually("the new receiver has what came later") {
                        more.isSubset(of: new.webhookIDs) ? true : nil
                    }
                }
                #expect(Set(old.webhookIDs).isSubset(of: all))
            }
        }
    }

    @Test("A destination whose secret is missing waits and says so; when the file is there it gets everything")
    func missingSecret() async throws {
        try await OpenSSLCommand.withFolder { folder in
            var forwarder = forwarder
            forwarder.secrets = folder.path()
            try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
                try await forwarder.load(
                    port: receiver.port, #""headers": {"Authorization": "Bearer {secret:token}"}"#)
                try await forwarder.count(3)
                try await forwarder.running {
                    let problem = "SELECT problem FROM attribution.destination"
                    let words = try await eventually("the problem is shown") {
                        try await forwarder.database.value(problem)
                    }
                    #expect(words.contains("token"))
                    #expect(receiver.requests.isEmpty)
                    let path = folder.appending(path: "token").path()
                    #expect(
                        FileManager.default.createFile(
                            atPath: path, contents: Data("hidden".utf8), attributes: [.posixPermissions: 0o600]))
                    try await forwarder.delivered(to: receiver)
                    try await forwarder.settled()
                    #expect(try await forwarder.database.value(problem) == nil)
                }
                #expect(receiver.requests.allSatisfy { $0.headers["Authorization"] == ["Bearer hidden"] })
            }
        }
    }

    @Test("A replay sends the events of its days once more, and the destination's cursor does not move")
    func replay() async throws {
        try await TestReceiver.with(react: { _, _ in .status(200) }) { receiver in
            let name = try #require(DestinationName("receiver"))
            try await forwarder.load(port: receiver.port)
            try await forwarder.count(20)
            try await forwarder.running {
                try await forwarder.delivered(to: receiver)
                try await forwarder.settled()
                let reader = forwarder.store.logReader(
                    named: try #require(LogReaderName("forward.receiver")))
                let cursor = try await reader.cursor()
                let today = PostgresDate(PostbackStore.now())
                try await forwarder.store.replay(name, from: today, to: today)
                try await eventually("all came twice") { receiver.requests.count == 40 ? true : nil }
                try await eventually("the replay has ended") {
                    try await forwarder.store.destinationStatuses().first?.replay == nil ? true : nil
                }
                #expect(try await reader.cursor() == cursor)
            }
            #expect(Dictionary(grouping: receiver.webhookIDs) { $0 }.values.allSatisfy { $0.count == 2 })
            // They were received before, so they are in no latency.
            try await forwarder.database.expect(
                """
                SELECT sent, replayed, (SELECT sum(counted) FROM unnest(latencies) AS counted) AS timed
                  FROM attribution.delivery_daily
                """,
                """
                sent  replayed  timed
                20    20        20
                """)
        }
    }
}
