import AdAttribution
import Logging
import Metrics
import PostbackStore
import PostgresClient

/// From the bytes of a request to its answer: parse, verify, count; or refuse, keep, say why.
///
/// It knows no HTTP. Nothing is acknowledged before it is durable: neither a postback nor a refusal.
struct PostbackReceiver: Sendable {
    let verifier: PostbackVerifier
    let postbacks: CommitQueue<PostbackDelivery, DeliveryOutcome>
    /// The lane of `postbacks` that a delivery belongs to.
    let laneOf: @Sendable (PostbackDelivery) -> Int
    let rejections: CommitQueue<RejectedPostback, Void>
    let clock: WallClock
    let metrics: ServiceMetrics
    let logger: Logger

    /// Answers one body.
    func receive(_ body: [UInt8], from origin: DeliveryOrigin) async -> PostbackAnswer {
        let start = ContinuousClock.now
        let receivedAt = PostgresTimestamp(millisecondsSince1970: clock.milliseconds())
        let result = judge(body)
        var answer: PostbackAnswer
        var labels = PostbackLabels.unknown
        switch result {
        case .success(let verified):
            labels = PostbackLabels(verified)
            answer = await count(PostbackDelivery(verified, receivedAt: receivedAt, origin: origin))
            answer.attributionProtocol = verified.postback.attributionProtocol
        case .failure(let rejection):
            answer = await refuse(body, rejection, receivedAt: receivedAt, from: origin)
            answer.attributionProtocol = rejection.claims?.attributionProtocol
        }
        metrics.count(answer.outcome, labels)
        metrics.postbackDuration.record(duration: ContinuousClock.now - start)
        return answer
    }

    private func judge(_ body: [UInt8]) -> Result<VerifiedPostback, PostbackRejection> {
        do throws(PostbackRejection) {
            let postback = try Postback(parsing: body)
            let start = ContinuousClock.now
            defer { metrics.verifyDuration.record(duration: ContinuousClock.now - start) }
            return .success(try verifier.verify(postback))
        } catch {
            return .failure(error)
        }
    }

    private func count(_ delivery: PostbackDelivery) async -> PostbackAnswer {
        do {
            switch try await postbacks.submit(delivery, lane: laneOf(delivery)) {
            case .accepted: return .accepted
            case .raised: return .raised
            case .duplicate: return .duplicate
            case .conflict:
                metrics.conflicts.increment()
                return .conflict
            }
        } catch {
            return unavailable(error)
        }
    }

    private func refuse(
        _ body: [UInt8], _ rejection: PostbackRejection, receivedAt: PostgresTimestamp, from origin: DeliveryOrigin
    ) async -> PostbackAnswer {
        let answer = PostbackAnswer(outcome: PostbackOutcome(rejection.reason), detail: rejection.detail)
        guard rejection.reason != .tooLarge else { return answer }
        logger.debug(
            "postback refused",
            metadata: ["reason": "\(rejection.reason.rawValue)", "detail": "\(rejection.detail)"])
        do {
            try await rejections.submit(
                RejectedPostback(body: body, rejection: rejection, receivedAt: receivedAt, origin: origin), lane: 0)
            return answer
        } catch {
            return unavailable(error)
        }
    }

    private func unavailable(_ error: any Error) -> PostbackAnswer {
        switch error {
        case CommitRefusal.overloaded:
            PostbackAnswer(outcome: .overloaded, detail: "too many requests are waiting; nothing was stored")
        default:
            PostbackAnswer(outcome: .storageUnavailable, detail: "not stored; deliver it again")
        }
    }
}
