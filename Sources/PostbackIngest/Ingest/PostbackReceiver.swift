import AdAttribution
package import Logging
import Metrics
package import Observability
import PostbackQuarantine
package import PostbackStore
import PostgresClient

/// Takes the bytes of a request: parses, verifies and hands them to a queue.
///
/// It knows no HTTP, and it never blocks: an event loop calls it. The answer comes when the postback or the refusal is
/// durable.
package struct PostbackReceiver: Sendable {
    let keyRing: KeyRingInForce
    let queues: IngestQueues
    let clock: WallClock
    let metrics: PostbackMetrics
    let logger: Logger

    /// Takes the values.
    package init(
        keyRing: KeyRingInForce, queues: IngestQueues, clock: WallClock, metrics: PostbackMetrics, logger: Logger
    ) {
        self.keyRing = keyRing
        self.queues = queues
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    /// Takes one body.
    ///
    /// - Parameter reply: Gets one answer: before this returns if the queue refuses the body, else later.
    package func receive(_ body: [UInt8], from origin: DeliveryOrigin, reply: PostbackReply) {
        let start = MonotonicTime.now
        let receivedAt = PostgresTimestamp(millisecondsSince1970: clock.milliseconds())
        do throws(PostbackRejection) {
            let verified = try verify(try Postback(parsing: body))
            let delivery = PostbackDelivery(verified, receivedAt: receivedAt, origin: origin)
            queues.submit(Waiting(value: delivery, start: start, reply: reply))
        } catch {
            logger.debug(
                "postback refused",
                metadata: reply.request.metadata.merging([
                    "reason": "\(error.reason.rawValue)", "detail": "\(error.detail)",
                ]) { $1 })
            let rejected = RejectedPostback(body: body, rejection: error, receivedAt: receivedAt, origin: origin)
            queues.rejections.submit(Waiting(value: rejected, start: start, reply: reply))
        }
    }

    private func verify(_ postback: Postback) throws(PostbackRejection) -> VerifiedPostback {
        let start = MonotonicTime.now
        defer { metrics.verifyDuration.record(from: start, to: .now) }
        return try keyRing.current.verifier.verify(postback)
    }
}
