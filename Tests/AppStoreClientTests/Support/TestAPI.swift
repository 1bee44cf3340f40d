import AdAttribution
import AppStoreData
import NIOHTTP1
import ReceiverSupport
import Synchronization
import Testing

@testable import AppStoreClient

/// A client of the API whose requests go to a receiver of the test.
struct TestAPI: Sendable {
    /// A clock that the test moves.
    final class Clock: Sendable {
        private let milliseconds: Mutex<Int64>

        init(_ milliseconds: Int64 = 1_780_000_000_000) {
            self.milliseconds = Mutex(milliseconds)
        }

        var now: Int64 { milliseconds.withLock { $0 } }

        func move(seconds: Int64) { milliseconds.withLock { $0 += seconds * 1_000 } }
    }

    static let credentials: Result<StoreAPICredentials, any Error> = Result {
        StoreAPICredentials(
            bundleID: "com.example", issuerID: "57246542-96fe-1a63-e053-0824d011072a", keyID: "2X9R4HXF34",
            key: try SigningKey.generate())
    }

    let client: StoreAPIClient
    let receiver: TestReceiver
    let clock: Clock

    /// Runs a body with a client and what it asks.
    static func with(
        react: @escaping @Sendable (TestReceiver.Request, Int) -> TestReceiver.Reaction,
        retries: StoreAPIRetries = StoreAPIRetries(delays: [.zero, .zero]), timeout: Duration = .seconds(60),
        clock: Clock = Clock(), _ body: (TestAPI) async throws -> Void
    ) async throws {
        try await TestReceiver.with(react: react) { receiver in
            let client = StoreAPIClient(
                try credentials.get(), at: try #require(StoreAPIAddress(loopback: "http://127.0.0.1:\(receiver.port)")),
                perSecond: 1_000, timeout: timeout, retries: retries, clock: { clock.now })
            do {
                try await body(TestAPI(client: client, receiver: receiver, clock: clock))
                await client.close()
            } catch {
                await client.close()
                throw error
            }
        }
    }

    /// The failure of a request for a test notification that gets this reaction, and that is not sent again.
    static func failure(
        of reaction: TestReceiver.Reaction, timeout: Duration = .seconds(60)
    ) async throws -> StoreAPIError {
        var failure: StoreAPIError?
        let retries = StoreAPIRetries(delays: [])
        try await with(react: { _, _ in reaction }, retries: retries, timeout: timeout) { api in
            failure = await #expect(throws: StoreAPIError.self) { try await api.client.requestTestNotification() }
        }
        return try #require(failure)
    }

    /// The tokens of the requests so far.
    var tokens: [String] {
        receiver.requests.map { $0.headers.first(name: "Authorization") ?? "" }
    }
}

/// An answer with JSON.
func json(_ body: String, status: Int = 200, headers: [String] = []) -> TestReceiver.Reaction {
    .status(status, headers: ["Content-Type: application/json"] + headers, body: body)
}
