import AdAttribution

/// What became of a request that should be a postback: the word in the answer and in the metrics.
enum PostbackOutcome: String, Sendable, CaseIterable {
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

    /// The place among all cases.
    ///
    /// An outcome is looked up by it for each request. The hash of its text would take longer.
    var index: Int {
        switch self {
        case .accepted: 0
        case .duplicate: 1
        case .raised: 2
        case .malformed: 3
        case .unknownNetwork: 4
        case .invalidSignature: 5
        case .unsupportedVersion: 6
        case .tooLarge: 7
        case .overloaded: 8
        case .storageUnavailable: 9
        }
    }
}
