package import Logging
package import NIOCore
import NIOSSL

/// What stands between the socket and HTTP: the header of a proxy and TLS, if they are wanted.
package struct ConnectionTransport: Sendable {
    /// Neither a header nor TLS.
    package static let plain = ConnectionTransport()

    private let certificate: ServerCertificate?
    private let isTrustedProxy: (@Sendable (SocketAddress?) -> Bool)?
    private let onFailure: @Sendable (OpeningFailure) -> Void

    /// Takes what is wanted.
    ///
    /// - Parameters:
    ///   - certificate: The certificate for TLS; nil if the connections are not encrypted.
    ///   - isTrustedProxy: Whether a peer is a proxy whose header is believed; nil if connections have no header.
    ///   - onFailure: Called on the event loop for each connection that does not come to its first request.
    package init(
        certificate: ServerCertificate? = nil, isTrustedProxy: (@Sendable (SocketAddress?) -> Bool)? = nil,
        onFailure: @escaping @Sendable (OpeningFailure) -> Void = { _ in }
    ) {
        self.certificate = certificate
        self.isTrustedProxy = isTrustedProxy
        self.onFailure = onFailure
    }

    /// Whether connections are encrypted.
    package var isSecure: Bool { certificate != nil }

    /// Adds the handlers of one connection.
    ///
    /// They must be the first of its pipeline.
    ///
    /// - Parameter deadline: The greatest time until HTTP can begin.
    package func addHandlers(
        to pipeline: ChannelPipeline.SynchronousOperations, deadline: Duration, logger: Logger
    ) throws {
        guard isSecure || isTrustedProxy != nil else { return }
        if let isTrustedProxy {
            try pipeline.addHandler(ProxyHeaderHandler(isTrusted: isTrustedProxy, onFailure: onFailure))
        }
        if let certificate {
            try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context))
        }
        try pipeline.addHandler(
            ConnectionOpening(
                deadline: deadline, awaitsProxyHeader: isTrustedProxy != nil, isSecure: isSecure,
                onFailure: onFailure, logger: logger))
    }
}
