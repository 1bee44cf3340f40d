import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOSSL

/// What an error of the HTTP client means, in the words of a receiver.
enum FailureWords {
    /// The longest reason, in characters.
    private static let maximumSize = 300

    /// The failure of a request.
    ///
    /// - Parameter answer: What was received of the answer before.
    static func failure(of error: any Error, answer: DeliveryAnswer?, timeout: Duration) -> DeliveryFailure {
        if let error = error as? HTTPClientError, isTimeout(error) {
            let reason = answer == nil ? "no answer within" : "the answer did not end within"
            return DeliveryFailure(reason: "\(reason) \(text(timeout))", answer: answer, isTimeout: true)
        }
        return DeliveryFailure(reason: String(reason(of: error).prefix(maximumSize)), answer: answer)
    }

    /// Whether no connection came about, so that nothing was sent.
    static func isUnreachable(_ error: any Error) -> Bool {
        switch error {
        case let error as IOError:
            [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errnoCode)
        case ChannelError.connectTimeout: true
        case let error as HTTPClientError: error == .connectTimeout
        default: false
        }
    }

    private static func isTimeout(_ error: HTTPClientError) -> Bool {
        [.deadlineExceeded, .readTimeout, .writeTimeout, .getConnectionFromPoolTimeout].contains(error)
    }

    private static func reason(of error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: reason(of: error)
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout: "no connection in time"
        case is ChannelError, HTTPParserError.invalidEOFState: closed
        case is HTTPParserError: "the answer is no HTTP: \(error)"
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: "TLS failed: \(error)"
        case is CancellationError: stopped
        default: "\(error)"
        }
    }

    private static func reason(of error: HTTPClientError) -> String {
        switch error {
        case .connectTimeout: "no connection in time"
        case .tlsHandshakeTimeout: "no TLS connection in time"
        case .remoteConnectionClosed: closed
        case .cancelled: stopped
        default: error.shortDescription
        }
    }

    private static let closed = "the connection was closed before the answer was complete"
    private static let stopped = "the server stopped"

    /// `15 seconds`, or `5 days`: the greatest unit that divides it.
    static func text(_ duration: Duration) -> String {
        let seconds = Int((duration / .seconds(1)).rounded(.up))
        let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        let (size, name) = units.first { seconds >= $0.0 && seconds % $0.0 == 0 } ?? (1, "second")
        let count = seconds / size
        return count == 1 ? "1 \(name)" : "\(count) \(name)s"
    }
}
