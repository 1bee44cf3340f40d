package import Logging
package import NIOCore
import NIOHTTP1
import NIOSSL

/// What each connection of a listener has before anything answers its requests: what opens it, the decoder of HTTP, and
/// a guard.
///
/// The handlers behind get the parts of `NIOHTTP1`.
package struct GuardedPipeline: Sendable {
    let transport: ConnectionTransport
    let table: ConnectionTable
    private let limits: RequestLimits
    private let encode: @Sendable (RequestError) -> EncodedResponse
    private let onRejection: @Sendable (RequestError) -> Void

    /// Takes the limits.
    ///
    /// - Parameters:
    ///   - limits: The limits of each connection.
    ///   - transport: What stands before HTTP.
    ///   - table: The connections of the listener.
    ///   - encode: The answer to a request that a guard refuses.
    ///   - onRejection: Called on the event loop for each refusal that a guard answers.
    package init(
        limits: RequestLimits, transport: ConnectionTransport = .plain, table: ConnectionTable = ConnectionTable(),
        encode: @escaping @Sendable (RequestError) -> EncodedResponse = \.response,
        onRejection: @escaping @Sendable (RequestError) -> Void = { _ in }
    ) {
        self.limits = limits
        self.transport = transport
        self.table = table
        self.encode = encode
        self.onRejection = onRejection
    }

    /// Adds the handlers to a new connection; returns its guard.
    func setUp(_ channel: any Channel, logger: Logger) throws -> RequestGuard {
        let pipeline = channel.pipeline.syncOperations
        try limitBuffers(of: channel)
        try transport.addHandlers(to: pipeline, deadline: limits.requestDeadline, logger: logger)
        return try addHTTP(to: pipeline)
    }

    private func limitBuffers(of channel: any Channel) throws {
        guard let options = channel.syncOptions else { return }
        try options.setOption(
            .recvAllocator,
            value: AdaptiveRecvByteBufferAllocator(minimum: 1_024, initial: 2_048, maximum: limits.maximumReadBytes))
        try options.setOption(.maxMessagesPerRead, value: 1)
        try options.setOption(
            .writeBufferWaterMark,
            value: .init(low: limits.maximumUnsentBytes / 2, high: limits.maximumUnsentBytes))
    }

    /// Adds what stands behind the transport; returns the guard.
    package func addHTTP(to pipeline: ChannelPipeline.SynchronousOperations) throws -> RequestGuard {
        let requestGuard = RequestGuard(limits: limits, table: table, encode: encode, onRejection: onRejection)
        try pipeline.addHandler(requestGuard.tap)
        var decoderLimits = NIOHTTPDecoderLimitConfiguration()
        decoderLimits.maxHeaderFieldSize = limits.maximumHeaderBytes / 2
        decoderLimits.maxHeaderListSize = limits.maximumHeaderBytes
        decoderLimits.maxHeaderFieldCount = limits.maximumHeaders
        try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: decoderLimits)))
        try pipeline.addHandler(requestGuard)
        return requestGuard
    }
}

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
