import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension HTTPError {
    /// Why there was no answer, in a few words.
    static func sentence(for error: any Error) -> String {
        switch error {
        case HTTPError.timeout, ChannelError.connectTimeout: "no answer in time"
        case HTTPError.closed, ChannelError.ioOnClosedChannel, ChannelError.eof, NIOSSLError.uncleanShutdown:
            "the server closed the connection"
        case HTTPError.tooLong: "the answer is too long"
        case let error as NIOConnectionError:
            error.connectionErrors.isEmpty
                ? "the name \(error.host) has no address" : sentence(for: error.connectionErrors[0].error)
        case let error as IOError where error.errnoCode == ECONNREFUSED: "the connection is refused"
        case let error as IOError where error.errnoCode == ECONNRESET || error.errnoCode == EPIPE:
            "the server closed the connection"
        case NIOSSLError.handshakeFailed: "the handshake of TLS failed"
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "the certificate is not for this name"
        case is HTTPParserError: "the answer is not HTTP"
        default: "the connection failed: \(error)".prefix(200).description
        }
    }
}
