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
}

/// The answer to a request that should be a postback.
struct PostbackAnswer: Sendable, Equatable {
    let outcome: PostbackOutcome
    /// Field and rule, or the byte offset; never a secret.
    let detail: String
    /// The framework that the body is of, as far as it could be told.
    var attributionProtocol: AttributionProtocol?

    /// The first of its key.
    static let accepted = PostbackAnswer(outcome: .accepted, detail: "counted")
    /// A known key with a higher value.
    static let raised = PostbackAnswer(outcome: .raised, detail: "conversion value raised")
    /// A known key and nothing new.
    static let duplicate = PostbackAnswer(outcome: .duplicate, detail: "counted before")
    /// A known key with a value that contradicts the stored one.
    static let conflict = PostbackAnswer(
        outcome: .duplicate, detail: "counted before; conversion value ignored")
}
