import Foundation
import NIOHTTP1
import ReceiverSupport
import TestSupport
import Testing

@testable import AppStoreClient

@Suite("Requests to Apple's API and their answers", .ownThread)
struct StoreAPIEndpointTests {
    /// An answer of the form that Apple describes, with members that nobody asked for.
    private static func answer(_ path: String) -> String {
        switch path {
        case _ where path.hasPrefix("/inApps/v1/notifications/history"):
            #"""
            {"paginationToken":"next one","hasMore":false,"notificationHistory":[{"signedPayload":"a.b.c",
             "sendAttempts":[{"attemptDate":1700000000000,"sendAttemptResult":"TIMED_OUT","more":{}},
                             {"attemptDate":1700003600000,"sendAttemptResult":"SUCCESS"}]},
             {"signedPayload":null},{"signedPayload":"d.e.f","firstSendAttemptResult":"TLS_ISSUE"}]}
            """#
        case "/inApps/v1/notifications/test": #"{"testNotificationToken":"token/1"}"#
        case _ where path.hasPrefix("/inApps/v1/notifications/test/"):
            #"""
            {"signedPayload":"a.b.c",
             "sendAttempts":[{"attemptDate":1700000000000,"sendAttemptResult":"NO_RESPONSE"}]}
            """#
        case _ where path.hasPrefix("/inApps/v2/history/"):
            #"""
            {"revision":"7_x","hasMore":true,"bundleId":"com.example","appAppleId":1234,"environment":"Sandbox",
             "signedTransactions":["a.b.c","d.e.f"]}
            """#
        default:
            #"""
            {"environment":"Sandbox","bundleId":"com.example","data":[{"subscriptionGroupIdentifier":"group",
             "lastTransactions":[{"status":1,"originalTransactionId":"10","signedTransactionInfo":"a.b.c",
                                  "signedRenewalInfo":"d.e.f"},{"status":99}]},
             {"subscriptionGroupIdentifier":"empty"}]}
            """#
        }
    }

    /// Sends a request of each kind.
    private func askAll(_ client: StoreAPIClient) async throws {
        _ = try await client.requestTestNotification()
        _ = try await client.testNotificationStatus("8cd2974c-f905-492a-bf9a-b2f47c791d19")
        var query = NotificationHistoryQuery(startDate: 1_698_148_900_000, endDate: 1_698_148_950_000)
        _ = try await client.notificationHistory(query)
        query.notificationType = "SUBSCRIBED"
        query.notificationSubtype = "INITIAL_BUY"
        query.transactionID = "999733843"
        query.onlyFailures = true
        _ = try await client.notificationHistory(query, after: "a036bc0e-52b8+/=")
        _ = try await client.transactionHistory(of: "1234")
        _ = try await client.transactionHistory(of: "12/34?", after: "revision_input")
        _ = try await client.subscriptionStatuses(of: "4321")
    }

    @Test("Method, path, headers and body are those of Apple's own library, byte by byte")
    func requests() async throws {
        try await TestAPI.with(react: { request, _ in json(Self.answer(request.path)) }) { api in
            try await askAll(api.client)
            let requests = api.receiver.requests
            #expect(
                requests.map { "\($0.method) \($0.path) \($0.text)" } == [
                    "POST /inApps/v1/notifications/test ",
                    "GET /inApps/v1/notifications/test/8cd2974c-f905-492a-bf9a-b2f47c791d19 ",
                    "POST /inApps/v1/notifications/history {\"startDate\":1698148900000,\"endDate\":1698148950000}",
                    "POST /inApps/v1/notifications/history?paginationToken=a036bc0e-52b8%2B%2F%3D "
                        + #"{"startDate":1698148900000,"endDate":1698148950000,"notificationType":"SUBSCRIBED","#
                        + #""notificationSubtype":"INITIAL_BUY","transactionId":"999733843","onlyFailures":true}"#,
                    "GET /inApps/v2/history/1234 ",
                    "GET /inApps/v2/history/12%2F34%3F?revision=revision_input ",
                    "GET /inApps/v1/subscriptions/4321 ",
                ])
            for request in requests {
                #expect(request.headers["Accept"] == ["application/json"])
                #expect(request.headers["Content-Type"] == (request.body.isEmpty ? [] : ["application/json"]))
                #expect(request.headers["User-Agent"].first?.hasPrefix("AdAttribution/") == true)
                #expect(request.headers["Authorization"].count == 1)
            }
        }
    }

    @Test("An answer is read whatever else it has, and unknown words stay as they are")
    func answers() async throws {
        try await TestAPI.with(react: { request, _ in json(Self.answer(request.path)) }) { api in
            #expect(try await api.client.requestTestNotification() == "token/1")
            let status = try await api.client.testNotificationStatus("token/1")
            #expect(!status.isDelivered && status.signedPayload == "a.b.c")
            #expect(status.attempts == [SendAttempt(date: 1_700_000_000_000, result: "NO_RESPONSE")])

            let history = try await api.client.notificationHistory(.init(startDate: 0, endDate: 1))
            #expect(history.entries.map(\.signedPayload) == ["a.b.c", "d.e.f"] && history.withoutPayload == 1)
            #expect(history.entries[0].attempts.map(\.result) == ["TIMED_OUT", "SUCCESS"])
            #expect(history.entries[1].attempts == [SendAttempt(date: nil, result: "TLS_ISSUE")])
            #expect(String(decoding: history.entries[0].body, as: UTF8.self) == #"{"signedPayload":"a.b.c"}"#)
            // There are no more, so the token does not count.
            #expect(history.next == nil)

            let transactions = try await api.client.transactionHistory(of: "1")
            #expect(transactions.signedTransactions == ["a.b.c", "d.e.f"] && transactions.next == "7_x")
            #expect(transactions.bundleID == "com.example" && transactions.environment == "Sandbox")

            let subscriptions = try await api.client.subscriptionStatuses(of: "1").subscriptions
            #expect(subscriptions.map(\.status) == [1, 99] && subscriptions.map(\.group) == ["group", "group"])
            #expect(subscriptions[0].signedTransaction == "a.b.c" && subscriptions[0].signedRenewal == "d.e.f")
            #expect(subscriptions[1].originalTransactionID == nil)
        }
    }

    @Test("A notification of the history is read also if its attempts are not what Apple describes")
    func oddAttempts() async throws {
        let rows = [
            #"{"signedPayload":"a.b.c","sendAttempts":[{"attemptDate":1,"sendAttemptResult":null}]}"#,
            #"{"signedPayload":"d.e.f","sendAttempts":[{"attemptDate":"soon","sendAttemptResult":"SUCCESS"}]}"#,
            #"{"signedPayload":"g.h.i","sendAttempts":"none"}"#,
        ]
        let answer = "{\"hasMore\":false,\"notificationHistory\":[\(rows.joined(separator: ","))]}"
        try await TestAPI.with(react: { _, _ in json(answer) }) { api in
            let history = try await api.client.notificationHistory(.init(startDate: 0, endDate: 1))
            #expect(history.entries.map(\.signedPayload) == ["a.b.c", "d.e.f", "g.h.i"])
            #expect(history.entries.allSatisfy { $0.attempts.isEmpty } && history.withoutPayload == 0)
        }
    }

    /// The answers in the tests of Apple's library, its folder `tests/resources/models`.
    private static let folder = "app-store-server-library/models"

    @Test(
        "The answers of Apple's own tests are read as Apple's library reads them",
        .enabled(if: VectorFile.isShared("app-store-server-library/models"), "Apple's model files are not here"))
    func models() async throws {
        @Sendable func model(_ name: String) -> String {
            let file = VectorFile.shared.appending(path: "\(Self.folder)/\(name).json")
            return (try? String(contentsOf: file, encoding: .utf8)) ?? "missing"
        }
        let react: @Sendable (TestReceiver.Request, Int) -> TestReceiver.Reaction = { request, _ in
            switch request.path {
            case "/inApps/v1/notifications/test": json(model("requestTestNotificationResponse"))
            case "/inApps/v1/notifications/history": json(model("getNotificationHistoryResponse"))
            case "/inApps/v2/history/1234": json(model("transactionHistoryResponse"))
            case "/inApps/v2/history/1": json(model("apiTooManyRequestsException"), status: 429)
            case "/inApps/v1/subscriptions/4321": json(model("getAllSubscriptionStatusesResponse"))
            case "/inApps/v1/subscriptions/1": json(model("apiException"), status: 500)
            default: json(model("getTestNotificationStatusResponse"))
            }
        }
        try await TestAPI.with(react: react) { api in
            #expect(try await api.client.requestTestNotification() == "ce3af791-365e-4c60-841b-1674b43c1609")
            let status = try await api.client.testNotificationStatus("1")
            #expect(status.isDelivered && status.signedPayload == "signed_payload")
            let history = try await api.client.notificationHistory(.init(startDate: 0, endDate: 1))
            #expect(history.entries.map(\.signedPayload) == ["signed_payload_one", "signed_payload_two"])
            #expect(history.next == "57715481-805a-4283-8499-1c19b5d6b20a")
            let transactions = try await api.client.transactionHistory(of: "1234")
            #expect(transactions.signedTransactions == ["signed_transaction_value", "signed_transaction_value2"])
            #expect(transactions.next == "revision_output" && transactions.environment == "LocalTesting")
            let subscriptions = try await api.client.subscriptionStatuses(of: "4321").subscriptions
            #expect(subscriptions.map(\.status) == [1, 5, 2])
            #expect(subscriptions.map(\.group) == ["sub_group_one", "sub_group_one", "sub_group_two"])
            let limit = await #expect(throws: StoreAPIError.self) { try await api.client.transactionHistory(of: "1") }
            #expect(limit?.isRateLimit == true && limit?.code == 4_290_000)
            let fault = await #expect(throws: StoreAPIError.self) { try await api.client.subscriptionStatuses(of: "1") }
            #expect(fault?.code == 5_000_000 && fault?.isRetryable == false)
        }
    }
}
