package import ConnectionTransport
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
package import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// How the server sets up the channel of a connection: what opens it, the decoder of HTTP, a guard, and the framework.
package struct GuardedChannel: ServerChildChannel, HTTPChannelHandler {
    package typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    package let responder: Responder
    private let limits: RequestLimits
    private let transport: ConnectionTransport
    private let table: ConnectionTable
    private let onRejection: @Sendable (RequestRejection) -> Void
    private let handlers: @Sendable (RequestGuard) -> [any ChannelHandler]

    /// Takes the limits and the framework's responder.
    ///
    /// - Parameters:
    ///   - limits: The limits of each connection.
    ///   - transport: What stands before HTTP.
    ///   - table: The connections of the listener.
    ///   - responder: Answers the requests that reach the framework.
    ///   - onRejection: Called on the event loop for each refusal that a guard answers.
    ///   - handlers: Makes the handlers between the guard and the framework. They get the parts of `NIOHTTP1`.
    package init(
        limits: RequestLimits, transport: ConnectionTransport = .plain, table: ConnectionTable = ConnectionTable(),
        responder: @escaping Responder,
        onRejection: @escaping @Sendable (RequestRejection) -> Void = { _ in },
        handlers: @escaping @Sendable (RequestGuard) -> [any ChannelHandler] = { _ in [] }
    ) {
        self.responder = responder
        self.limits = limits
        self.transport = transport
        self.table = table
        self.onRejection = onRejection
        self.handlers = handlers
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try limitBuffers(of: channel)
            try transport.addHandlers(to: pipeline, deadline: limits.requestDeadline, logger: logger)
            try addHTTP(to: pipeline)
            try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
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
        if let size = limits.sendBufferBytes {
            try options.setOption(.socketOption(.so_sndbuf), value: .init(size))
        }
    }

    /// Adds everything between the transport and the framework.
    package func addHTTP(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        let requestGuard = RequestGuard(limits: limits, table: table, onRejection: onRejection)
        try pipeline.addHandler(requestGuard.tap)
        var decoderLimits = NIOHTTPDecoderLimitConfiguration()
        decoderLimits.maxHeaderFieldSize = limits.maximumHeaderBytes / 2
        decoderLimits.maxHeaderListSize = limits.maximumHeaderBytes
        decoderLimits.maxHeaderFieldCount = limits.maximumHeaders
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoderLimits)
        try pipeline.addHandler(requestGuard)
        try pipeline.addHandlers(handlers(requestGuard))
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: transport.isSecure))
    }

    package func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }
}
