package import Destinations
package import EventLog
package import Foundation

/// What a sender has done since its last commit, for one transaction.
package struct DeliveryProgress: Sendable {
    /// How a reader of the destination moves.
    package struct Move: Sendable {
        /// Where it is.
        package let from: LogCursor
        /// Where it will be; in no lane before that.
        package let to: LogCursor

        /// Takes both.
        package init(from: LogCursor, to: LogCursor) {
            self.from = from
            self.to = to
        }
    }

    /// How the destination's own reader moves.
    package var move: Move?
    /// How the reader of its replay moves; the replay ends when that has reached its end.
    package var replay: Move?
    /// What becomes of the row of each event, the last thing that was said: a failed delivery, or nil if it was
    /// delivered.
    private(set) var rows: [DeliveryKey: FailedDelivery?] = [:]
    /// What is added to the statistics.
    package var statistics = DeliveryStatistics()
    /// How many attempts in a row have failed, up to now.
    package var failures = 0
    /// Whether only one probe a minute is sent.
    package var isBreakerOpen = false
    /// Why nothing is sent.
    package var problem: String?
    /// Why the destination is switched off with this; nil if it is not.
    package var offReason: String?

    /// Nothing was done.
    package init() {}

    /// A delivery failed, or takes long: it gets a row, or its row is changed.
    package mutating func fail(_ delivery: FailedDelivery) {
        rows.updateValue(delivery, forKey: delivery.key)
    }

    /// An event was delivered that has a row, or may have one: the row goes.
    package mutating func deliver(_ key: DeliveryKey) {
        rows.updateValue(nil, forKey: key)
    }
}

/// A delivery that failed, or takes long.
package struct FailedDelivery: Sendable {
    let key: DeliveryKey
    let transactionID: UUID
    let kind: ForwardedEvent.Kind
    let receivedAt: Int64
    let attempt: Int
    let wait: Duration?
    let status: Int?
    let error: String?
    let answer: [UInt8]
    let request: PreparedRequest
    let isSendable: Bool
    let isReplay: Bool

    /// Says what failed.
    ///
    /// - Parameters:
    ///   - key: The event.
    ///   - receivedAt: When the postback was received, in microseconds since 1970.
    ///   - attempt: How many attempts were made.
    ///   - wait: After how long it is tried again; nil if it is a dead letter.
    ///   - status: The status of the answer.
    ///   - error: Why it failed; nil while the attempt is under way.
    ///   - answer: The first bytes of the body of the answer.
    ///   - request: The request, or what is known of it if the event can't become one.
    ///   - isSendable: Whether the event became a request. If not, there must be no `wait`.
    ///   - isReplay: Whether a replay sent it.
    package init(
        key: DeliveryKey, transactionID: UUID, kind: ForwardedEvent.Kind, receivedAt: Int64, attempt: Int,
        wait: Duration?, status: Int? = nil, error: String?, answer: [UInt8] = [], request: PreparedRequest,
        isSendable: Bool = true, isReplay: Bool = false
    ) {
        self.key = key
        self.transactionID = transactionID
        self.kind = kind
        self.receivedAt = receivedAt
        self.attempt = attempt
        self.wait = isSendable ? wait : nil
        self.status = status
        self.error = error
        self.answer = answer
        self.request = request
        self.isSendable = isSendable
        self.isReplay = isReplay
    }
}

/// What a sender did, in numbers.
package struct DeliveryStatistics: Sendable, Equatable {
    /// The upper bounds of the counts of latencies, in milliseconds; what is above the last one has a count of its own.
    ///
    /// `attribution.latency_bounds` has the same list.
    static let bounds: [Int64] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000]

    /// The events that were delivered, without those of a replay.
    private(set) var sent: Int64 = 0
    /// Of these, those that had failed before.
    private(set) var retried: Int64 = 0
    /// The events that a replay delivered.
    ///
    /// They were received long before, so they say nothing of how fast events are delivered.
    private(set) var replayed: Int64 = 0
    /// How many were delivered within each bound.
    private(set) var latencies = [Int64](repeating: 0, count: DeliveryStatistics.bounds.count + 1)
    /// The attempts that failed.
    package var failed: Int64 = 0
    /// The events that became dead letters.
    package var dead: Int64 = 0

    /// Nothing was done.
    package init() {}

    /// An event was delivered.
    ///
    /// - Parameters:
    ///   - latency: Milliseconds from the receipt of the postback.
    ///   - isRetry: Whether an earlier attempt had failed.
    ///   - isReplay: Whether a replay sent it.
    package mutating func deliver(latency: Int64, isRetry: Bool, isReplay: Bool = false) {
        guard !isReplay else {
            replayed += 1
            return
        }
        sent += 1
        if isRetry { retried += 1 }
        latencies[Self.bounds.firstIndex { latency <= $0 } ?? Self.bounds.count] += 1
    }

    /// Whether nothing was done.
    var isEmpty: Bool { sent == 0 && replayed == 0 && failed == 0 && dead == 0 }
}
