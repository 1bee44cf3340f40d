import AdAttribution
package import AppStoreData
import AsyncHTTPClient
import ECDSA
import Encodings
import NIOCore
import NIOHTTP1
import StrictJSON

/// Asks Apple's App Store Server API about one app.
///
/// One token is used until shortly before its end. Requests begin at a steady pace, and are sent again if that helps.
/// HTTP/2 is used if the server offers it. The client must be closed.
package actor StoreAPIClient {
    /// The greatest number of bytes of an answer.
    package static let maximumAnswer = 4 * 1_024 * 1_024

    private let credentials: StoreAPICredentials
    private let address: StoreAPIAddress
    private let http: HTTPClient
    private let interval: Duration
    private let timeout: Duration
    private let retries: StoreAPIRetries
    private let clock: @Sendable () -> Int64
    private var token: StoreAPIToken?
    private var nextTurn = ContinuousClock.now

    /// Makes a client without connections.
    ///
    /// - Parameters:
    ///   - perSecond: The greatest number of requests that begin in a second, at least 1.
    ///   - timeout: The time that an attempt may take, with its whole answer.
    ///   - clock: Milliseconds since 1970.
    package init(
        _ credentials: StoreAPICredentials, at address: StoreAPIAddress, perSecond: Int = 5,
        timeout: Duration = .seconds(30), retries: StoreAPIRetries = StoreAPIRetries(),
        clock: @escaping @Sendable () -> Int64
    ) {
        self.credentials = credentials
        self.address = address
        self.timeout = timeout
        self.retries = retries
        self.clock = clock
        interval = Duration.seconds(1) / max(1, perSecond)
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .storeAPI(timeout: timeout))
    }

    /// Closes the connections; no request may be under way.
    package func close() async { try? await http.shutdown() }

    /// Sends a request, again if need be, and reads the object that is its answer.
    ///
    /// A request whose token is refused is sent once more with a new one.
    func send(
        _ method: HTTPMethod, _ path: String, _ query: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) async throws(StoreAPIError) -> AnswerObject {
        let url = address.url + path + (query.isEmpty ? "" : "?" + PercentEncoding.query(of: query))
        var failures = 0
        var isRenewed = false
        while true {
            try await takeTurn()
            let token = try tokenInUse()
            do throws(StoreAPIError) {
                let request = try Self.request(method, url, body, token)
                return try AnswerObject.read(try await answer(to: request, token))
            } catch {
                if error.isTokenRefused, !isRenewed {
                    isRenewed = true
                    // Another request may have made a new one meanwhile.
                    if self.token?.text == token.text { self.token = nil }
                    continue
                }
                failures += 1
                let jitter = Double.random(in: 0...1)
                guard let wait = retries.wait(after: error, failures: failures, at: clock(), jitter: jitter) else {
                    throw error
                }
                try await Self.rest(for: wait)
            }
        }
    }

    private func tokenInUse() throws(StoreAPIError) -> StoreAPIToken {
        let now = clock() / 1_000
        if let token, token.isGood(at: now) { return token }
        do throws(KeyError) {
            let made = try StoreAPIToken(credentials, at: now)
            token = made
            return made
        } catch {
            throw StoreAPIError(.unsigned, "the private key \(credentials.keyID) can't sign: \(error)")
        }
    }

    /// Waits until the next request may begin.
    private func takeTurn() async throws(StoreAPIError) {
        let now = ContinuousClock.now
        let turn = max(now, nextTurn)
        nextTurn = turn + interval
        try await Self.rest(for: turn - now)
    }

    private static func rest(for duration: Duration) async throws(StoreAPIError) {
        guard duration > .zero else { return }
        do {
            try await Task.sleep(for: duration)
        } catch {
            throw StoreAPIError(.unanswered, "the request was given up")
        }
    }

    private static func request(
        _ method: HTTPMethod, _ url: String, _ body: [UInt8]?, _ token: StoreAPIToken
    ) throws(StoreAPIError) -> HTTPClient.Request {
        var headers = HTTPHeaders([
            ("User-Agent", "AdAttribution/\(BuildVersion.current)"), ("Authorization", "Bearer \(token.text)"),
            ("Accept", "application/json"),
        ])
        if body != nil { headers.add(name: "Content-Type", value: "application/json") }
        do {
            return try HTTPClient.Request(
                url: url, method: method, headers: headers, body: body.map { .byteBuffer(ByteBuffer(bytes: $0)) })
        } catch {
            throw StoreAPIError(.unanswered, "the URL can't be used: \(error)")
        }
    }

    /// Sends a request once.
    ///
    /// - Returns: The body of an answer with 2xx.
    private func answer(to request: HTTPClient.Request, _ token: StoreAPIToken) async throws(StoreAPIError) -> [UInt8] {
        let response: HTTPClient.Response
        do {
            let accumulator = ResponseAccumulator(request: request, maxBodySize: Self.maximumAnswer)
            let task = http.execute(request: request, delegate: accumulator, deadline: .now() + TimeAmount(timeout))
            response = try await withTaskCancellationHandler {
                try await task.get()
            } onCancel: {
                task.cancel()
            }
        } catch {
            throw failure(of: error)
        }
        let body = response.body.map { Array($0.readableBytesView) } ?? []
        let status = Int(response.status.code)
        guard (200..<300).contains(status) else {
            throw StoreAPIError(
                status: status, retryAfter: response.headers.first(name: "Retry-After"), body: body, hiding: token,
                at: clock())
        }
        return body
    }

    private func failure(of error: any Error) -> StoreAPIError {
        switch error {
        case is ResponseAccumulator.ResponseTooBigError:
            StoreAPIError(.unreadable, "the answer has more than \(Self.maximumAnswer / 1_048_576) MiB")
        case let error as HTTPClientError where error == .deadlineExceeded:
            StoreAPIError(.unanswered, "no whole answer within \(timeout)")
        case let error as IOError: StoreAPIError(.unanswered, "\(error)")
        default: StoreAPIError(.unanswered, "no answer: \(JSONText.line("\(error)".prefix(bytes: 200)))")
        }
    }
}
