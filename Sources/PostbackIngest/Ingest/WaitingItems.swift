import AdAttribution
import PostbackStore

/// A verified postback that waits to be committed.
package struct WaitingPostback: CommitQueueItem {
    var delivery: PostbackDelivery
    package let start: MonotonicTime
    let reply: PostbackReply

    package func hasLeft(at now: MonotonicTime) -> Bool {
        reply.client.hasLeft(now.duration(since: start))
    }
}

/// A refused body that waits to be put into the quarantine.
struct WaitingRejection: CommitQueueItem {
    let rejected: RejectedPostback
    let rejection: PostbackRejection
    let start: MonotonicTime
    let reply: PostbackReply

    func hasLeft(at now: MonotonicTime) -> Bool {
        reply.client.hasLeft(now.duration(since: start))
    }
}
