import Destinations
import Foundation

/// An event on its way to a destination, with the attempt that is to be made or is under way.
struct Delivery: Sendable {
    /// Where its request comes from.
    enum Content: Sendable {
        /// The event was read from the log, and has no row.
        case event(ForwardedEvent)
        /// It failed before, and its row has the request.
        case row(WaitingDelivery)
    }

    let content: Content
    /// Whether a replay sends it, or did so first.
    var isReplay = false

    /// The event's name, which is unique.
    var eventID: String {
        switch content {
        case .event(let event): event.id
        case .row(let row): row.eventID
        }
    }

    /// The transaction of its postback.
    ///
    /// Attempts of one transaction are made one after the other.
    var transaction: UUID {
        switch content {
        case .event(let event): event.transactionID
        case .row(let row): row.transactionID
        }
    }

    /// When the postback was received, in microseconds since 1970.
    var receivedAt: Int64 {
        switch content {
        case .event(let event): event.receivedAt
        case .row(let row): row.receivedAt
        }
    }

    /// What happened to the postback.
    var kind: ForwardedEvent.Kind {
        switch content {
        case .event(let event): event.kind
        case .row(let row): row.kind
        }
    }

    /// Whether an earlier attempt failed.
    var isRetry: Bool {
        switch content {
        case .event: false
        case .row: true
        }
    }

    /// Whether the request was made by another file than the present one.
    var isOfEarlierFile: Bool {
        switch content {
        case .event: false
        case .row(let row): row.isOfEarlierFile
        }
    }

    /// The number of the attempt, from 1.
    var attempt: Int {
        switch content {
        case .event: 1
        case .row(let row): row.attempt + 1
        }
    }
}

/// How an attempt ended.
enum AttemptOutcome: Sendable, Equatable {
    /// The receiver has it.
    case delivered
    /// It has not, or nobody knows.
    case failed(AttemptFailure)
    /// The event can't become a request.
    case unsendable(reason: String)
    /// It did not begin: the lease was over, or the server stops.
    case notBegun
    /// It did not begin: a secret is missing.
    case blocked(problem: String)
}

/// What is known of an attempt that failed.
struct AttemptFailure: Sendable, Equatable {
    /// The status, if there was an answer.
    let status: Int?
    /// Why, in one line and without a secret.
    let reason: String
    /// The first bytes of the answer's body.
    let answer: [UInt8]
    /// How long the receiver asked to wait.
    let retryAfter: Duration?

    init(status: Int? = nil, reason: String, answer: [UInt8] = [], retryAfter: Duration? = nil) {
        self.status = status
        self.reason = reason
        self.answer = answer
        self.retryAfter = retryAfter
    }

    /// An answer whose status does not count as success.
    ///
    /// - Parameter now: Seconds since 1970.
    init(_ answer: DeliveryAnswer, at now: Int64) {
        self.init(
            status: answer.status, reason: "status \(answer.status)", answer: answer.body,
            retryAfter: answer.retryAfter.flatMap { RetryAfter.delay($0, at: now) })
    }

    /// No complete answer.
    init(_ failure: DeliveryFailure, at now: Int64) {
        let status = failure.answer.map { "status \($0.status), and " } ?? ""
        self.init(
            status: failure.answer?.status, reason: status + failure.reason, answer: failure.answer?.body ?? [],
            retryAfter: failure.answer?.retryAfter.flatMap { RetryAfter.delay($0, at: now) })
    }
}

/// What is to be stored of an attempt.
struct DeliveryEnding: Sendable {
    enum Result: Sendable, Equatable {
        /// Milliseconds from the receipt of the postback to the answer.
        case delivered(latency: Int64)
        /// It is tried again after a wait.
        case waiting(Duration, AttemptFailure)
        /// It is not tried again.
        case dead(AttemptFailure)
        /// It has taken so long that it gets a row; it is tried again after this wait if nobody hears of its end.
        case handedOver(Duration)
    }

    let delivery: Delivery
    /// Whether the delivery has a row in the database when this is stored.
    let hasRow: Bool
    let result: Result
}
