package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
package import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// How the framework sets up the channel of a connection whose requests it answers, behind a guard.
package struct GuardedChannel: ServerChildChannel, HTTPChannelHandler {
    package typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    package let responder: Responder
    private let pipeline: GuardedPipeline

    /// Takes what stands before the framework, and the framework's responder.
    package init(_ pipeline: GuardedPipeline, responder: @escaping Responder) {
        self.pipeline = pipeline
        self.responder = responder
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let requestGuard = try pipeline.setUp(channel, logger: logger)
            try addFramework(to: channel.pipeline.syncOperations, behind: requestGuard)
            try AnswerCompression.add(to: channel.pipeline.syncOperations, behind: requestGuard)
            try channel.pipeline.syncOperations.addHandler(HTTPConnectionStateHandler(logger: logger))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    /// Adds what makes the framework's types of the parts behind the guard, and what encodes the framework's responses.
    package func addFramework(
        to operations: ChannelPipeline.SynchronousOperations, behind requestGuard: RequestGuard
    ) throws {
        try operations.addHandler(HTTPResponseEncoder(), position: .before(requestGuard))
        try operations.addHandler(HTTP1ToHTTPServerCodec(secure: pipeline.transport.isSecure))
    }

    /// Answers the requests of a connection, on its event loop.
    package func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopTaskExecutor(value.channel.eventLoop)) {
            await handleHTTP(asyncChannel: value, logger: logger)
        }
    }
}
