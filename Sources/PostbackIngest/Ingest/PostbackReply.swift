import NIOCore

/// Whoever waits on an event loop for the answer to a postback.
protocol PostbackAnswering: AnyObject {
    /// Takes the answer, on the event loop.
    func take(_ answer: PostbackAnswer)
}

/// The way back to the connection that a postback came over.
struct PostbackReply: Sendable {
    private let waiting: NIOLoopBound<any PostbackAnswering>

    /// The way back to this connection.
    ///
    /// If the connection is gone when the answer comes, the answer is thrown away.
    init(to waiting: any PostbackAnswering, on eventLoop: any EventLoop) {
        self.waiting = NIOLoopBound(waiting, eventLoop: eventLoop)
    }

    /// Answers at once; on the connection's event loop only.
    func now(_ answer: PostbackAnswer) {
        waiting.value.take(answer)
    }

    /// Answers many, in one hop to each event loop.
    static func send(_ answers: [(reply: PostbackReply, answer: PostbackAnswer)]) {
        var eventLoops: [any EventLoop] = []
        for (reply, _) in answers where !eventLoops.contains(where: { $0 === reply.waiting.eventLoop }) {
            eventLoops.append(reply.waiting.eventLoop)
        }
        for eventLoop in eventLoops {
            // Each takes its own out of the one array, which is cheaper than an array for each.
            eventLoop.execute {
                for (reply, answer) in answers where reply.waiting.eventLoop === eventLoop { reply.now(answer) }
            }
        }
    }
}
