import AdAttribution
import PostbackStore

/// A verified postback that waits to be committed.
struct WaitingPostback: Sendable {
    let delivery: PostbackDelivery
    let start: MonotonicTime
    let reply: PostbackReply
}

/// A refused body that waits to be put into the quarantine.
struct WaitingRejection: Sendable {
    let rejected: RejectedPostback
    let rejection: PostbackRejection
    let start: MonotonicTime
    let reply: PostbackReply
}
