import NIOHTTP1
import ReceiverSupport
import TestSupport
import Testing

@testable import AppStoreClient

@Suite("What Apple's API can answer instead", .ownThread)
struct StoreAPIFailureTests {
    @Test(
        "An error of Apple's has its code, and is asked again only if that can help",
        arguments: [
            (404, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#, 1),
            (404, #"{"errorCode":4040006,"errorMessage":"Try again."}"#, 3),
            (400, #"{"errorCode":4000017}"#, 1), (500, #"{"errorCode":5000000,"errorMessage":"A fault."}"#, 1),
            (500, #"{"errorCode":5000001}"#, 3), (500, #"{"errorCode":9990000}"#, 1), (503, "<html>", 3), (502, "", 3),
            (403, "", 1), (302, "", 1), (204, "", 1),
        ])
    func errors(status: Int, body: String, requests: Int) async throws {
        let answer = json(body, status: status, headers: ["Location: http://127.0.0.1:1/"])
        try await TestAPI.with(react: { _, _ in answer }) { api in
            let error = try await #require(throws: StoreAPIError.self) {
                try await api.client.transactionHistory(of: "1")
            }
            #expect(api.receiver.requests.count == requests)
            guard status != 204 else { return #expect(error.kind == .unreadable) }
            let digits = body.firstMatch(of: /errorCode":([0-9]+)/).flatMap { Int64($0.1) }
            #expect(error.kind == .refused(status: status, code: digits))
            #expect(error.description.contains("\(status)") && error.isRetryable == (requests > 1))
            if let digits { #expect(error.description.contains("\(digits)")) }
        }
    }

    @Test("A request that failed in a way that passes is answered in the end")
    func recovery() async throws {
        let react: @Sendable (TestReceiver.Request, Int) -> TestReceiver.Reaction = { _, number in
            switch number {
            case 1: json(#"{"errorCode":5000001}"#, status: 500)
            case 2: .bytesAndClose("")
            default: json(#"{"testNotificationToken":"a"}"#)
            }
        }
        try await TestAPI.with(react: react) { api in
            let token = try await api.client.requestTestNotification()
            #expect(token == "a")
            #expect(api.receiver.requests.count == 3)
        }
    }

    @Test("After 429 it waits until the time that Apple names, and gives up if that is far away")
    func rateLimit() async throws {
        let clock = TestAPI.Clock()
        let soon = clock.now + 200
        let react: @Sendable (TestReceiver.Request, Int) -> TestReceiver.Reaction = { _, number in
            number == 1
                ? json(#"{"errorCode":4290000}"#, status: 429, headers: ["Retry-After: \(soon)"])
                : json(#"{"testNotificationToken":"a"}"#)
        }
        try await TestAPI.with(react: react, clock: clock) { api in
            let start = ContinuousClock.now
            _ = try await api.client.requestTestNotification()
            #expect(ContinuousClock.now - start >= .milliseconds(200) && api.receiver.requests.count == 2)
        }
        let late = clock.now + 3_600_000
        try await TestAPI.with(react: { _, _ in json("", status: 429, headers: ["Retry-After: \(late)"]) }) { api in
            let error = await #expect(throws: StoreAPIError.self) { try await api.client.requestTestNotification() }
            #expect(error?.isRateLimit == true && error?.retryAt == late && api.receiver.requests.count == 1)
        }
    }

    @Test("Waits are random up to the delay, at least as long as asked, and end")
    func waits() {
        let retries = StoreAPIRetries(delays: [.seconds(1), .seconds(8)], longestWait: .seconds(60))
        func wait(_ failures: Int, _ jitter: Double, retryAt: Int64? = nil, status: Int = 429) -> Duration? {
            let error = StoreAPIError(.refused(status: status, code: nil), "", retryAt: retryAt)
            return retries.wait(after: error, failures: failures, at: 1_000_000, jitter: jitter)
        }
        #expect(wait(1, 0) == .zero && wait(1, 1) == .seconds(1) && wait(2, 0.5) == .seconds(4))
        #expect(wait(3, 0) == nil && wait(0, 0) == nil && wait(1, 0, status: 404) == nil)
        #expect(wait(1, 0, retryAt: 1_060_000) == .seconds(60) && wait(1, 0, retryAt: 1_060_001) == nil)
        #expect(wait(1, 0, retryAt: Int64.max) == nil && wait(1, 0, retryAt: 5) == .zero)
        #expect(StoreAPIError.retryTime("1780000000000", at: 7) == 1_780_000_000_000)
        #expect(StoreAPIError.retryTime("30", at: 7) == 30_007)
        for text in ["", "-1", "soon", "9999999999999999999", "1.5"] {
            #expect(StoreAPIError.retryTime(text, at: 7) == nil, "\(text)")
        }
    }

    @Test("A token that is refused is renewed once, and then the error says what may be wrong, without the token")
    func refusedToken() async throws {
        let clock = TestAPI.Clock()
        let react: @Sendable (TestReceiver.Request, Int) -> TestReceiver.Reaction = { request, number in
            clock.move(seconds: 1)
            let token = request.headers.first(name: "Authorization")?.dropFirst("Bearer ".count) ?? ""
            return number == 2
                ? json(#"{"testNotificationToken":"a"}"#)
                : json("{\"errorCode\":4010000,\"errorMessage\":\"\(token) \\u001b[31m\"}", status: 401)
        }
        try await TestAPI.with(react: react, clock: clock) { api in
            _ = try await api.client.requestTestNotification()
            #expect(api.tokens.count == 2 && api.tokens[0] != api.tokens[1])
            let error = try await #require(throws: StoreAPIError.self) {
                try await api.client.requestTestNotification()
            }
            #expect(api.tokens.count == 4 && error.isTokenRefused && error.description.contains("key-id"))
            #expect(error.description.contains("(token)") && !error.description.contains("\u{1b}"))
            for token in api.tokens { #expect(!error.description.contains(token.suffix(40))) }
        }
    }

    @Test(
        "What is no answer of Apple's is refused at once",
        arguments: [
            "", "garbage", "[]", "{", #"{"testNotificationToken":1}"#, "{}", #"{"testNotificationToken":null}"#,
            #"{"testNotificationToken":"a","testNotificationToken":"b"}"#, "{\"a\":\"\u{7}\"}",
            String(repeating: #"{"a":"#, count: 100) + "1" + String(repeating: "}", count: 100),
        ])
    func garbage(body: String) async throws {
        try await TestAPI.with(react: { _, _ in json(body) }) { api in
            let error = await #expect(throws: StoreAPIError.self) { try await api.client.requestTestNotification() }
            #expect(error?.kind == .unreadable && api.receiver.requests.count == 1)
        }
    }

    @Test("An answer that is too large ends when its size is known, and is not asked for again")
    func tooLarge() async throws {
        for head in ["Content-Length: 4194305\r\n", "Connection: close\r\n"] {
            let error = try await TestAPI.failure(of: .endless("HTTP/1.1 200 OK\r\n\(head)\r\n"))
            #expect(error.kind == .unreadable && !error.isRetryable && error.reason.contains("4 MiB"), "\(error)")
        }
        let large = "{\"testNotificationToken\":\"\(String(repeating: "a", count: 4_000_000))\"}"
        try await TestAPI.with(react: { _, _ in json(large) }) { api in
            let token = try await api.client.requestTestNotification()
            #expect(token.utf8.count == 4_000_000)
        }
    }

    @Test(
        "A server that hangs, or speaks another language, is a failure in time",
        arguments: [
            .silence, .bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{"), .bytes("what is this\r\n\r\n"),
            .bytesAndClose("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{"),
        ] as [TestReceiver.Reaction])
    func hanging(reaction: TestReceiver.Reaction) async throws {
        let error = try await TestAPI.failure(of: reaction, timeout: .seconds(1))
        #expect(error.kind == .unanswered && error.isRetryable, "\(error)")
    }

    // MARK: Pages

    /// A page with one notification.
    private static func page(_ members: String) -> TestReceiver.Reaction {
        json("{\"notificationHistory\":[{\"signedPayload\":\"a.b.c\"}],\(members)}")
    }

    @Test("Pages follow the token of the page before, and a circle of tokens ends with an error")
    func circle() async throws {
        let react: @Sendable (TestReceiver.Request, Int) -> TestReceiver.Reaction = { _, number in
            Self.page("\"hasMore\":true,\"paginationToken\":\"\(["one", "two", "one"][(number - 1) % 3])\"")
        }
        try await TestAPI.with(react: react) { api in
            var pages = api.client.notificationPages(.init(startDate: 0, endDate: 1))
            for _ in 1...3 {
                let page = try await pages.next()
                #expect(page?.entries.count == 1)
            }
            var problem: StoreAPIError?
            do throws(StoreAPIError) { _ = try await pages.next() } catch { problem = error }
            #expect(problem?.kind == .circular && api.receiver.requests.count == 3)
            #expect(
                api.receiver.requests.map { $0.path.split(separator: "=").last ?? "" } == [
                    "/inApps/v1/notifications/history", "one", "two",
                ])
        }
    }

    @Test("Behind the last page there is none; a page without the token of the next one is refused")
    func ends() async throws {
        try await TestAPI.with(react: { _, _ in Self.page("\"hasMore\":false") }) { api in
            var pages = api.client.notificationPages(.init(startDate: 0, endDate: 1), after: "where it was")
            let (first, second) = (try await pages.next(), try await pages.next())
            #expect(first != nil && second == nil)
            #expect(api.receiver.requests.count == 1 && api.receiver.requests[0].path.hasSuffix("=where%20it%20was"))
        }
        for members in ["\"hasMore\":true", #""hasMore":true,"paginationToken":"a\u0000""#, "\"hasMore\":\"yes\""] {
            try await TestAPI.with(react: { _, _ in Self.page(members) }) { api in
                let query = NotificationHistoryQuery(startDate: 0, endDate: 1)
                let error = await #expect(throws: StoreAPIError.self) {
                    try await api.client.notificationHistory(query)
                }
                #expect(error?.kind == .unreadable)
            }
        }
    }
}
