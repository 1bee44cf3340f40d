import AdAttribution
import AsyncHTTPClient
import Encodings
import NIOCore
import NIOHTTP1
import StrictJSON

/// Exchanges tokens of Apple Ads for what Apple knows of an install.
///
/// It sends each request once: who calls decides when it is sent again. The client must be closed.
package struct AppleAdsClient: Sendable {
    /// The greatest number of bytes of an answer.
    package static let maximumAnswer = 64 * 1_024

    private let address: AppleAdsAddress
    private let timeout: Duration
    private let http: HTTPClient

    /// Makes a client without connections.
    ///
    /// - Parameter timeout: The time that a request may take, with its whole answer.
    package init(at address: AppleAdsAddress = .apple, timeout: Duration = .seconds(10)) {
        self.address = address
        self.timeout = timeout
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .storeAPI(timeout: timeout))
    }

    /// Closes the connections; no request may be under way.
    package func close() async { try? await http.shutdown() }

    /// Sends a token.
    package func exchange(_ token: String) async -> AppleAdsAnswer {
        let response: HTTPClient.Response
        do {
            response = try await send(token)
        } catch {
            return .later(reason: reason(of: error))
        }
        switch response.status.code {
        case 200: break
        case 400: return .badToken
        case 404: return .notFound
        case let code: return .later(reason: "the answer is \(code)")
        }
        do throws(StoreAPIError) {
            let body = response.body.map { Array($0.readableBytesView) } ?? []
            return .record(try AppleAdsRecord(try AnswerObject.read(body)))
        } catch {
            return .later(reason: error.reason)
        }
    }

    private func send(_ token: String) async throws -> HTTPClient.Response {
        let headers = HTTPHeaders([
            ("User-Agent", "AdAttribution/\(BuildVersion.current)"), ("Content-Type", "text/plain"),
            ("Accept", "application/json"),
        ])
        let request = try HTTPClient.Request(
            url: address.url, method: .POST, headers: headers, body: .byteBuffer(ByteBuffer(string: token)))
        let accumulator = ResponseAccumulator(request: request, maxBodySize: Self.maximumAnswer)
        let task = http.execute(request: request, delegate: accumulator, deadline: .now() + TimeAmount(timeout))
        return try await withTaskCancellationHandler {
            try await task.get()
        } onCancel: {
            task.cancel()
        }
    }

    private func reason(of error: any Error) -> String {
        switch error {
        case is ResponseAccumulator.ResponseTooBigError:
            "the answer has more than \(Self.maximumAnswer / 1_024) KiB"
        case let error as HTTPClientError where error == .deadlineExceeded: "no whole answer within \(timeout)"
        default: "no answer: \(JSONText.line("\(error)".prefix(bytes: 200)))"
        }
    }
}
