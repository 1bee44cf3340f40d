import NIOCore
import Observability
import Synchronization

/// Whoever waits on an event loop for the answer to a postback.
protocol PostbackAnswering: AnyObject {
    /// Takes the answer, on the event loop.
    func take(_ answer: PostbackAnswer)
}

/// The way back to the connection that a postback came over.
package struct PostbackReply: Sendable {
    /// Whether the client still waits.
    let client: ClientPresence
    /// What lines of the log call the request.
    let request: RequestIdentity
    private let waiting: NIOLoopBound<any PostbackAnswering>

    /// The way back to this connection.
    ///
    /// If the connection is gone when the answer comes, the answer is thrown away.
    init(
        to waiting: any PostbackAnswering, on eventLoop: any EventLoop, client: ClientPresence = ClientPresence(),
        request: RequestIdentity = RequestIdentity()
    ) {
        self.client = client
        self.request = request
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

/// Whether the client of a connection still waits for answers.
///
/// The event loop writes it, and the commit queue reads it.
final class ClientPresence: Sendable {
    private let isGone = Atomic(false)
    private let isInputClosed = Atomic(false)

    /// How long a client that has closed its side may still wait.
    ///
    /// It may have closed only its output and wait for the answer. As a rule a client that closes its connection looks
    /// the same until something is sent to it.
    static let halfClosedGrace = Duration.seconds(1)

    /// The connection is closed.
    func leave() {
        isGone.store(true, ordering: .relaxed)
    }

    /// The client sends nothing more.
    func closeInput() {
        isInputClosed.store(true, ordering: .relaxed)
    }

    /// Whether a client has left that has waited this long.
    func hasLeft(_ waited: Duration) -> Bool {
        isGone.load(ordering: .relaxed)
            || (isInputClosed.load(ordering: .relaxed) && waited >= Self.halfClosedGrace)
    }
}
