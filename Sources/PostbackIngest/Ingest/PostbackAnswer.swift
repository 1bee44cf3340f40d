import AdAttribution
import PostbackStore

/// The answer to a request that should be a postback.
enum PostbackAnswer: Sendable {
    /// The postback is stored, now or before.
    case stored(DeliveryOutcome)
    /// The body is no postback that counts. It is in the quarantine, unless it was too large.
    case refused(PostbackRejection)
    /// Nothing is stored: the postback, of this framework if that is known, could not be committed.
    case unavailable(Unavailability, AttributionProtocol?)

    /// Why nothing is stored.
    enum Unavailability: Sendable {
        /// Too many requests wait.
        case overloaded
        /// The database failed, or the server is stopping.
        case storage
    }

    /// The word for it.
    var outcome: PostbackOutcome {
        switch self {
        case .stored(.accepted): .accepted
        case .stored(.raised): .raised
        case .stored(.duplicate), .stored(.conflict): .duplicate
        case .refused(let rejection): PostbackOutcome(rejection.reason)
        case .unavailable(.overloaded, _): .overloaded
        case .unavailable(.storage, _): .storageUnavailable
        }
    }

    /// What happened, in words; never a secret.
    var detail: String {
        switch self {
        case .stored(.accepted): "counted"
        case .stored(.raised): "conversion value raised"
        case .stored(.duplicate): "counted before"
        case .stored(.conflict): "counted before; conversion value ignored"
        case .refused(let rejection): rejection.detail
        case .unavailable(.overloaded, _): "too many requests are waiting; nothing was stored"
        case .unavailable(.storage, _): "not stored; deliver it again"
        }
    }
}
