import Foundation
import HTTPListener
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes

/// Bytes from a socket, through the real decoder and the guard, to an application that answers each request.
///
/// The first byte chooses in which pieces the bytes come.
package struct HTTPTarget: FuzzTarget {
    package static let name = "http"

    private static let limits = RequestLimits(maximumBodyBytes: 1_024)

    package init() {}

    package func check(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let choice = UInt64(reader.byte())
        let stream = reader.remainder()
        let whole = try Self.conversation([stream])
        let cut = try Self.conversation(Self.pieces(of: stream, choice))
        try expect(whole.requests == cut.requests, "in pieces, other requests reach the application")
        try expect(whole.statuses == cut.statuses, "in pieces, \(whole.statuses) becomes \(cut.statuses)")
    }

    /// What an application sees of a request.
    private struct Request: Equatable {
        let method: String
        let path: String?
        var body: [UInt8] = []
        var isComplete = false
    }

    private struct Conversation {
        let requests: [Request]
        let statuses: [Int]
    }

    private static func pieces(of stream: [UInt8], _ choice: UInt64) -> [[UInt8]] {
        var state = choice
        var pieces: [[UInt8]] = []
        var rest = stream[...]
        while !rest.isEmpty {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Mostly small pieces, so that each place is a boundary some time.
            let count = Int(state >> 33) % (choice % 2 == 0 ? 5 : 200) + 1
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    private static func conversation(_ pieces: [[UInt8]]) throws -> Conversation {
        let channel = EmbeddedChannel()
        let socket = Socket()
        let application = Application()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(socket)
        let guarded = GuardedPipeline(limits: limits)
        let requestGuard = try guarded.addHTTP(to: pipeline)
        try GuardedChannel(guarded) { _, _, _ in }.addFramework(to: pipeline, behind: requestGuard)
        try pipeline.addHandler(application)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/client")).wait()
        for piece in pieces where channel.isActive {
            _ = try? channel.writeInbound(ByteBuffer(bytes: piece))
            // A real channel asks for the next read by itself.
            channel.read()
        }
        // A request that does not end is refused, and an idle connection is closed.
        channel.embeddedEventLoop.advanceTime(by: .seconds(11))
        channel.embeddedEventLoop.advanceTime(by: .seconds(62))
        try expect(!channel.isActive || socket.isOutputClosed, "the connection is open after 73 seconds")
        var output: [UInt8] = []
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { output += bytes.readableBytesView }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        let statuses = try Self.statuses(of: output, application.isHead)
        let complete = application.requests.count { $0.isComplete }
        try expect(statuses.count <= complete + 1, "\(statuses.count) answers to \(complete) requests")
        for request in application.requests {
            try expect(request.body.count <= limits.maximumBodyBytes, "a body of \(request.body.count) bytes")
        }
        // What was refused half way may have reached the application in part, depending on the pieces.
        return Conversation(requests: application.requests.filter(\.isComplete), statuses: statuses)
    }

    /// The statuses of all answers, which must be whole.
    private static func statuses(of output: [UInt8], _ isHead: [Bool]) throws -> [Int] {
        var statuses: [Int] = []
        var rest = output[...]
        while !rest.isEmpty {
            guard let end = rest.indices.first(where: { rest[$0...].starts(with: Array("\r\n\r\n".utf8)) }) else {
                throw Finding("an answer without an end of its head")
            }
            let head = String(decoding: rest[..<end], as: UTF8.self).components(separatedBy: "\r\n")
            let words = head[0].split(separator: " ")
            guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
                throw Finding("an answer that begins with \(head[0])")
            }
            rest = rest[(end + 4)...]
            // An interim answer is no answer.
            if status == 100 { continue }
            let name = "content-length:"
            let length = head.first { $0.lowercased().hasPrefix(name) }.flatMap {
                Int($0.dropFirst(name.count).trimmingCharacters(in: .whitespaces))
            }
            guard let length else { throw Finding("an answer without a length") }
            let hasBody = !(statuses.count < isHead.count && isHead[statuses.count])
            // A refused HEAD request does not reach the application; its answer is the last one.
            if hasBody, rest.count >= length { rest = rest.dropFirst(length) }
            statuses.append(status)
        }
        return statuses
    }

    /// Takes notes, and answers each request with one word.
    private final class Application: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart
        typealias OutboundOut = HTTPResponsePart

        var requests: [Request] = []
        var isHead: [Bool] { requests.map { $0.method == "HEAD" } }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch Self.unwrapInboundIn(data) {
            case .head(let head): requests.append(Request(method: head.method.rawValue, path: head.path))
            case .body(let bytes): requests[requests.count - 1].body += bytes.readableBytesView
            case .end:
                requests[requests.count - 1].isComplete = true
                let isHead = requests[requests.count - 1].method == "HEAD"
                let head = HTTPResponse(status: .ok, headerFields: [.contentLength: "2"])
                context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
                if !isHead { context.write(Self.wrapOutboundOut(.body(ByteBuffer(string: "ok"))), promise: nil) }
                context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {}
    }

    /// Notes a half-close, which the embedded channel does not know.
    private final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = IOData

        var isOutputClosed = false

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            guard mode == .output else { return context.close(mode: mode, promise: promise) }
            isOutputClosed = true
            promise?.succeed()
        }
    }
}
