import AdAttribution
import PostbackStore

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
