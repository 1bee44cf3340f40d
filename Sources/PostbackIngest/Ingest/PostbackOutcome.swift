import AdAttribution

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
