import AdAttribution
import NIOCore
import Observability
import PostbackStore
import Synchronization

/// What became of a request that should be a postback: the word in the answer and in the metrics.
package enum PostbackOutcome: String, Sendable, CaseIterable {
    case accepted
    case duplicate
    case raised
    case malformed
    case unknownNetwork = "unknown_network"
    case invalidSignature = "invalid_signature"
    case unsupportedVersion = "unsupported_version"
    case tooLarge = "too_large"
    case overloaded
    case storageUnavailable = "storage_unavailable"

    init(_ reason: PostbackRejection.Reason) {
        switch reason {
        case .tooLarge: self = .tooLarge
        case .malformed: self = .malformed
        case .unsupportedVersion: self = .unsupportedVersion
        case .unknownNetwork: self = .unknownNetwork
        case .invalidSignature: self = .invalidSignature
        }
    }
}

/// The answer to a request that should be a postback.
enum PostbackAnswer: Sendable {
    /// The postback is stored, now or before.
    case stored(DeliveryOutcome)
    /// The postback is refused. Its body is in the quarantine, unless it was too large.
    case refused(PostbackRejection)
    /// Nothing is stored: the postback could not be committed. The protocol is nil if it is not known.
    case unavailable(Unavailability, AttributionProtocol?)

    /// Why nothing is stored.
    enum Unavailability: Sendable {
        /// Too many requests wait.
        case overloaded
        /// The postback was not stored in time.
        case late
        /// The database failed, or the server is stopping.
        case storage
    }

    /// The answer if a commit failed, or if its queue did not take the request.
    ///
    /// - Parameter attributionProtocol: The protocol; nil if it is not known.
    init(_ error: any Error, of attributionProtocol: AttributionProtocol?) {
        let why: Unavailability =
            switch error {
            case CommitError.overloaded: .overloaded
            case CommitError.late: .late
            default: .storage
            }
        self = .unavailable(why, attributionProtocol)
    }

    /// The outcome in the answer and in the metrics.
    var outcome: PostbackOutcome {
        switch self {
        case .stored(.accepted): .accepted
        case .stored(.raised): .raised
        case .stored(.duplicate), .stored(.conflict): .duplicate
        case .refused(let rejection): PostbackOutcome(rejection.reason)
        case .unavailable(.overloaded, _): .overloaded
        case .unavailable(.storage, _), .unavailable(.late, _): .storageUnavailable
        }
    }

    /// What happened, in words.
    ///
    /// It contains no secret.
    var detail: String {
        switch self {
        case .stored(.accepted): "counted"
        case .stored(.raised): "conversion value raised"
        case .stored(.duplicate): "counted before"
        case .stored(.conflict): "counted before; conversion value ignored"
        case .refused(let rejection): rejection.detail
        case .unavailable(.overloaded, _): "too many requests are waiting; nothing was stored"
        case .unavailable(.late, _): "not stored in time; deliver it again"
        case .unavailable(.storage, _): "not stored; deliver it again"
        }
    }
}

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
