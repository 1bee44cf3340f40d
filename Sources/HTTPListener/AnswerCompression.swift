import NIOCore
import NIOHTTP1
import NIOHTTPCompression

/// Compresses answers with gzip if the client takes it, and says to caches that they depend on `Accept-Encoding`.
///
/// Only texts are compressed. Server-sent events are not, since each of them must arrive at once.
enum AnswerCompression {
    /// Shorter answers stay as they are: gzip would save less than a packet.
    static let smallest = 1_000

    private static let contentTypes = [
        "application/json", "application/problem+json", "application/x-ndjson", "image/svg+xml", "text/css", "text/csv",
        "text/html", "text/javascript", "text/plain",
    ]

    /// Adds the handlers to a connection, between its guard and the framework.
    static func add(to operations: ChannelPipeline.SynchronousOperations, behind requestGuard: RequestGuard) throws {
        let compressor = HTTPResponseCompressor { head, _ in
            guard let type = head.headers.first(name: "Content-Type")?.prefix(while: { $0 != ";" }),
                contentTypes.contains(String(type))
            else { return .doNotCompress }
            head.headers.add(name: "Vary", value: "Accept-Encoding")
            // An answer that is made while it is sent has no length yet.
            let length = head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? .max
            return length < smallest ? .doNotCompress : .compressIfPossible
        }
        try operations.addHandler(compressor, position: .after(requestGuard))
        try operations.addHandler(GzipChoice(), position: .after(requestGuard))
    }
}

/// Takes deflate away from what a client accepts, since the compressor prefers it to gzip.
private final class GzipChoice: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = Self.unwrapInboundIn(data), head.headers.contains(name: "Accept-Encoding") else {
            return context.fireChannelRead(data)
        }
        let others = head.headers[canonicalForm: "Accept-Encoding"].filter { !$0.hasPrefix("deflate") }
        head.headers.replaceOrAdd(name: "Accept-Encoding", value: others.joined(separator: ", "))
        context.fireChannelRead(Self.wrapInboundOut(.head(head)))
    }
}
