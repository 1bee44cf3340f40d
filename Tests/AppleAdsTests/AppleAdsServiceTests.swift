import AdAttribution
import AppStoreClient
import Logging
import PostbackStore
import ReceiverSupport
import ServiceLifecycle
import TestSupport
import Testing

@testable import AppleAds

@Suite(
    "Tokens of Apple Ads", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason),
    .database(connections: 8), .ownThread)
struct AppleAdsServiceTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    private static let payload = """
        {"attribution":true,"orgId":40669820,"campaignId":542370539,"conversionType":"Download","claimType":"Click",
         "clickDate":"2026-03-01T17:17Z","adGroupId":542317095,"countryOrRegion":"US","keywordId":87675432}
        """

    private static func token(_ number: Int) throws -> AppleAdsToken {
        let app = try #require(AppID(525_463_029))
        return try #require(AppleAdsToken("token+of/test=\(10_000 + number)", appID: app))
    }

    private static func answer(_ status: Int, _ body: String = "") -> TestReceiver.Reaction {
        .status(status, headers: ["Content-Type: application/json"], body: body)
    }

    /// Runs services while the body runs, and then shuts them down as a server does.
    private func running(
        _ count: Int = 1, at receiver: TestReceiver, timeout: Duration = .seconds(60), _ body: () async throws -> Void
    ) async throws {
        let address = try #require(AppleAdsAddress(loopback: "http://127.0.0.1:\(receiver.port)"))
        let services = (0..<count).map { _ in
            AppleAdsService(
                store: store, address: address, metrics: AppleAdsMetrics(), timeout: timeout,
                pause: .milliseconds(20), logger: Logger(label: "test"))
        }
        let group = ServiceGroup(
            services: services, gracefulShutdownSignals: [], cancellationSignals: [], logger: Logger(label: "test"))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            do {
                try await body()
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// Lets pauses pass that tokens have now.
    ///
    /// - Parameter longest: The longest that passes. A token that is under way has a minute, and would be taken twice.
    private func passTime(_ longest: String = "1 hour") async throws {
        try await database.run(
            """
            UPDATE attribution.apple_ads_token SET next_at = now()
             WHERE next_at > now() AND next_at <= now() + interval '\(longest)'
            """)
    }

    /// Waits until no token waits.
    private func settled() async throws {
        try await eventually("all tokens are exchanged or dead") {
            try await database.value("SELECT count(*) FROM attribution.apple_ads_token WHERE state = 'waiting'") == "0"
                ? true : nil
        }
    }

    @Test("A token counts once, its text is gone when Apple has answered, and what Apple said has columns")
    func exchanged() async throws {
        let tokens = try [0, 1, 0].map { try Self.token($0) }
        #expect(try await store.add(tokens) == 2)
        #expect(try await store.add(tokens) == 0)
        #expect(try await store.appleAdsBacklog().waiting == 2)
        let react: @Sendable (TestReceiver.Request, Int) -> TestReceiver.Reaction = { request, _ in
            request.text.hasSuffix("0") ? Self.answer(200, Self.payload) : Self.answer(200, #"{"attribution":false}"#)
        }
        try await TestReceiver.with(react: react) { receiver in
            try await running(at: receiver) { try await settled() }
            #expect(receiver.requests.count == 2)
        }
        try await database.expect(
            """
            SELECT advertised_app_id, state, token, attempts, reason, day = attribution.day_of(received_at) AS same_day,
                   is_attributed, org_id, campaign_id, ad_group_id, keyword_id, ad_id, country_or_region,
                   conversion_type, claim_type, ad_day
              FROM attribution.apple_ads_token JOIN attribution.apple_ads_attribution USING (digest, advertised_app_id)
            """,
            """
            advertised_app_id  state  token  attempts  reason  same_day  is_attributed  org_id    campaign_id  ad_group_id  keyword_id  ad_id  country_or_region  conversion_type  claim_type  ad_day
            525463029          done   -      1         -       true      true           40669820  542370539    542317095    87675432    -      US                 Download         Click       2026-03-01
            525463029          done   -      1         -       true      false          -         -            -            -           -      -                  -                -           -
            """)
        #expect(try await store.appleAdsBacklog() == AppleAdsBacklog(waiting: 0, oldestSeconds: 0))
        // A week later the rows go, and what was counted still makes the same token a duplicate.
        #expect(try await store.dropAppleAdsTokens() == 0)
        try await database.run("UPDATE attribution.apple_ads_token SET received_at = received_at - interval '8 days'")
        #expect(try await store.dropAppleAdsTokens() == 2)
        #expect(try await store.add(tokens) == 0)
    }

    @Test("Apple does not know it three times, then does: it is asked again every five seconds, and counts once")
    func foundLate() async throws {
        #expect(try await store.add([Self.token(1)]) == 1)
        let react: @Sendable (TestReceiver.Request, Int) -> TestReceiver.Reaction = { _, number in
            number <= 3 ? Self.answer(404) : Self.answer(200, Self.payload)
        }
        try await TestReceiver.with(react: react) { receiver in
            try await running(at: receiver) {
                for misses in 1...3 {
                    try await eventually("it waits again") {
                        try await database.value(
                            """
                            SELECT count(*) FROM attribution.apple_ads_token
                             WHERE misses = \(misses) AND reason = 'not_found' AND next_at > now() - interval '1 minute'
                               AND next_at <= now() + interval '5 s'
                                -- It was sent again before the test looked.
                                OR misses > \(misses) OR state = 'done'
                            """) == "1" ? true : nil
                    }
                    try await passTime("5 s")
                }
                try await settled()
            }
            #expect(receiver.requests.count == 4)
        }
        #expect(try await database.value("SELECT count(*) FROM attribution.apple_ads_attribution") == "1")
    }

    @Test("A bad token dies at once, one that Apple never knows after the fourth time, and an old one unasked")
    func dead() async throws {
        #expect(try await store.add([0, 1, 2].map { try Self.token($0) }) == 3)
        try await database.run(
            """
            UPDATE attribution.apple_ads_token SET received_at = now() - interval '24 hours 1 second'
             WHERE digest = sha256('token+of/test=10002')
            """)
        let react: @Sendable (TestReceiver.Request, Int) -> TestReceiver.Reaction = { request, _ in
            Self.answer(request.text.hasSuffix("0") ? 400 : 404)
        }
        try await TestReceiver.with(react: react) { receiver in
            try await running(at: receiver) {
                _ = try await eventually("all are dead") { () -> Bool? in
                    try await passTime("5 s")
                    return try await database.value(
                        "SELECT count(*) FROM attribution.apple_ads_token WHERE state = 'dead'") == "3" ? true : nil
                }
            }
            #expect(receiver.requests.count { $0.text.hasSuffix("0") } == 1)
            #expect(receiver.requests.allSatisfy { !$0.text.hasSuffix("2") })
        }
        try await database.expect(
            "SELECT reason, token, attempts > 3 AS often FROM attribution.apple_ads_token",
            """
            reason     token  often
            bad_token  -      false
            not_found  -      true
            expired    -      false
            """)
        #expect(try await database.value("SELECT count(*) FROM attribution.apple_ads_attribution") == "0")
    }

    @Test("A token that nobody exchanges dies after 24 hours and loses its text; a younger one waits on")
    func expired() async throws {
        let tokens = try [0, 1].map { try Self.token($0) }
        #expect(try await store.add(tokens) == 2)
        #expect(try await store.expireAppleAdsTokens() == 0)
        try await database.run(
            """
            UPDATE attribution.apple_ads_token
               SET received_at = now() - CASE digest WHEN sha256('token+of/test=10000') THEN interval '24 hours 1 second'
                                                     ELSE interval '23 hours 59 minutes' END
            """)
        #expect(try await store.expireAppleAdsTokens() == 1)
        #expect(try await store.expireAppleAdsTokens() == 0)
        try await database.expect(
            "SELECT state, reason, token FROM attribution.apple_ads_token",
            """
            state    reason   token
            dead     expired  -
            waiting  -        token+of/test=10001
            """)
        // Nor is it taken again.
        #expect(try await store.add(tokens) == 0)
    }

    @Test("After an error, garbage, or no answer the token waits longer each time, and is exchanged in the end")
    func later() async throws {
        #expect(try await store.add([Self.token(1)]) == 1)
        let react: @Sendable (TestReceiver.Request, Int) -> TestReceiver.Reaction = { _, number in
            switch number {
            case 1: Self.answer(500)
            case 2: Self.answer(429)
            case 3: Self.answer(200, "garbage")
            case 4: .silence
            default: Self.answer(200, Self.payload)
            }
        }
        try await TestReceiver.with(react: react) { receiver in
            try await running(at: receiver, timeout: .seconds(2)) {
                let reasons = ["the answer is 500", "the answer is 429", "the answer, line", "no whole answer"]
                for (index, reason) in reasons.enumerated() {
                    try await eventually("it waits: \(reason)") {
                        let found = try await database.value(
                            "SELECT coalesce(reason, state) FROM attribution.apple_ads_token")
                        // It may have been sent again before the test looked.
                        let isThere = found == "done" || reasons[index...].contains { found?.hasPrefix($0) == true }
                        return isThere ? true : nil
                    }
                    try await passTime()
                }
                try await settled()
            }
        }
        #expect(try await database.value("SELECT count(*) FROM attribution.apple_ads_attribution") == "1")
    }

    @Test("Two services at once exchange each of many tokens, and each counts once")
    func two() async throws {
        #expect(try await store.add((0..<300).map { try Self.token($0) }) == 300)
        try await TestReceiver.with(react: { _, _ in Self.answer(200, Self.payload) }) { receiver in
            try await running(2, at: receiver) { try await settled() }
            #expect(Set(receiver.requests.map(\.text)).count == 300)
        }
        #expect(try await database.value("SELECT count(*) FROM attribution.apple_ads_attribution") == "300")
    }

    @Test("A request that hangs holds up no other token, and what Apple says of others is stored meanwhile")
    func hanging() async throws {
        #expect(try await store.add((0..<50).map { try Self.token($0) }) == 50)
        let held = HeldAnswers()
        let react: @Sendable (TestReceiver.Request, Int) -> TestReceiver.Reaction = { request, _ in
            switch request.text.suffix(5) {
            case "10000": .held(held, 404)
            case "10001": Self.answer(404)
            default: Self.answer(200, Self.payload)
            }
        }
        try await TestReceiver.with(react: react) { receiver in
            try await running(at: receiver) {
                let hung = "WHERE digest = sha256('token+of/test=10000')"
                try await eventually("all others have an answer") {
                    try await database.value(
                        """
                        SELECT count(*) FROM attribution.apple_ads_token
                         WHERE state = 'done' OR digest = sha256('token+of/test=10001') AND reason = 'not_found'
                        """) == "49" ? true : nil
                }
                // It would have a reason if its request was over.
                #expect(
                    try await database.value(
                        "SELECT concat_ws(' ', state, attempts, reason) FROM attribution.apple_ads_token \(hung)")
                        == "waiting 1")
                held.release()
                try await eventually("the one that hung has an answer too") {
                    try await database.value("SELECT reason FROM attribution.apple_ads_token \(hung)") == "not_found"
                        ? true : nil
                }
            }
        }
    }

    @Test("No more than 16 requests are under way at once")
    func places() async throws {
        #expect(try await store.add((0..<50).map { try Self.token($0) }) == 50)
        let held = HeldAnswers()
        try await TestReceiver.with(react: { _, _ in .held(held, 400) }) { receiver in
            try await running(at: receiver) {
                try await eventually("16 are under way") { receiver.requests.count >= 16 ? true : nil }
                // It looks for more some times.
                try await Task.sleep(for: .milliseconds(300))
                #expect(receiver.requests.count == 16)
                held.release()
                try await settled()
            }
            // On a slow machine a request may be too slow, and its token is sent again.
            #expect(Set(receiver.requests.map(\.text)).count == 50)
        }
    }

    @Test("A token whose lease is over is exchanged by another server, and counts once if both get an answer")
    func lease() async throws {
        #expect(try await store.add([Self.token(1)]) == 1)
        let first = try await store.claimAppleAdsTokens(atMost: 5).tokens
        #expect(try await store.claimAppleAdsTokens(atMost: 5).tokens.isEmpty)
        try await passTime()
        let second = try await store.claimAppleAdsTokens(atMost: 5).tokens
        #expect(first.count == 1 && second.count == 1 && second[0].attempts == 2)
        let fate = TokenFate(.record(.unattributed), attempts: 1, misses: 0, jitter: 0)
        #expect(try await store.settle([(token: second[0], fate: fate)]) == [true])
        #expect(try await store.settle([(token: first[0], fate: fate)]) == [false])
        let postponed = TokenFate(.later(reason: "late"), attempts: 1, misses: 0, jitter: 0)
        #expect(try await store.settle([(token: first[0], fate: postponed)]) == [false])
        #expect(try await database.value("SELECT count(*) FROM attribution.apple_ads_attribution") == "1")
    }

    @Test("Pauses double up to half an hour, are random by half, and never overflow")
    func pauses() {
        func pause(_ attempts: Int32, _ jitter: Double) -> Int64? {
            let fate = TokenFate(.later(reason: "x"), attempts: attempts, misses: 0, jitter: jitter)
            guard case .postponed(let milliseconds, false, "x") = fate else { return nil }
            return milliseconds
        }
        #expect(pause(1, 0) == 5_000 && pause(1, 1) == 10_000 && pause(2, 1) == 20_000)
        #expect(pause(50, 1) == 1_800_000 && pause(.max, 0) == 900_000 && pause(.min, 0) == 5_000)
    }

    @Test("What is no base64 is no token, and no description shows one")
    func secret() throws {
        let app = try #require(AppID(1))
        for text in ["", "short", String(repeating: "a", count: 2_049), "0123456789abcde\n", "0123456789abcdé!"] {
            #expect(AppleAdsToken(text, appID: app) == nil)
        }
        let token = try Self.token(1)
        let claimed = ClaimedToken(digest: token.digest, text: token.text, attempts: 1, misses: 0)
        var dumped = ""
        dump((token, claimed), to: &dumped)
        #expect(!"\(token) \(claimed) \(String(reflecting: [claimed])) \(dumped)".contains("token+of"))
    }
}
