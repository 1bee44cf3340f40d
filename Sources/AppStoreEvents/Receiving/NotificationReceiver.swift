import AppStoreData
package import Logging
import Metrics
import NIOPosix
package import Observability
package import PostbackIngest
package import PostbackStore
import PostgresClient

/// Takes the bytes of a request: parses, verifies and hands them to a queue.
///
/// It knows no HTTP, and it never blocks long: an event loop calls it. A body that is larger than a notification of
/// version 2 is read by another thread, since a hundred transactions take their time. The answer comes when the
/// notification or the refusal is durable.
package struct NotificationReceiver: Sendable {
    let keyRing: KeyRingInForce
    let queues: NotificationQueues
    let clock: WallClock
    let metrics: NotificationMetrics
    let logger: Logger

    /// Takes the values.
    package init(
        keyRing: KeyRingInForce, queues: NotificationQueues, clock: WallClock, metrics: NotificationMetrics,
        logger: Logger
    ) {
        self.keyRing = keyRing
        self.queues = queues
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    /// The receiver as the public listener sees it; it is closed while the key ring names no app of the App Store.
    ///
    /// - Parameter budget: The greatest number of bytes of all bodies that are in memory.
    package func intake(budget: Int) -> NotificationIntake {
        NotificationIntake(
            maximumBodyBytes: StoreNotification.maximumV1Bytes, budget: budget,
            isOpen: { keyRing.current.store != nil },
            take: { receive($0, from: $1, reply: $2) })
    }

    /// Takes one body.
    ///
    /// - Parameter reply: Gets one answer, from any thread.
    package func receive(_ body: [UInt8], from origin: DeliveryOrigin, reply: NotificationReply) {
        let start = MonotonicTime.now
        guard body.count > StoreNotification.maximumV2Bytes else { return read(body, from: origin, reply, start) }
        NIOThreadPool.singleton.submit { _ in read(body, from: origin, reply, start) }
    }

    private func read(
        _ body: [UInt8], from origin: DeliveryOrigin, _ reply: NotificationReply, _ start: MonotonicTime
    ) {
        // The key ring may have changed since the head of the request came.
        guard let verifier = keyRing.current.store else { return reply.answer(.notFound) }
        let now = clock.milliseconds()
        let receivedAt = PostgresTimestamp(millisecondsSince1970: now)
        do throws(SignedDataError) {
            let notification = try verify(body, verifier, now)
            metrics.countGaps(notification)
            let delivery = NotificationDelivery(
                notification: notification, body: notification.kept, receivedAt: receivedAt)
            queues.submit(WaitingNotification(delivery: delivery, start: start, reply: reply))
        } catch {
            logger.debug(
                "notification of the App Store refused",
                metadata: reply.request.metadata.merging([
                    "reason": "\(error.reason.rawValue)", "detail": "\(error)",
                ]) { $1 })
            let rejected = RejectedNotification(body: body, error: error, receivedAt: receivedAt, origin: origin)
            queues.submit(WaitingRefusal(rejected: rejected, start: start, reply: reply))
        }
    }

    private func verify(
        _ body: [UInt8], _ verifier: SignedDataVerifier, _ now: Int64
    ) throws(SignedDataError) -> StoreNotification {
        let start = MonotonicTime.now
        defer { metrics.verifyDuration.record(from: start, to: .now) }
        return try StoreNotification(body: body, by: verifier, now: now)
    }
}
