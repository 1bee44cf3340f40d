/// Why a request is not one that we trust.
package enum WebhookProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The id is empty or has a full stop, so that what is signed could be read in two ways.
    case wrongID
    /// The time is not one in seconds.
    case wrongTimestamp
    /// The time is further back than the tolerance.
    case tooOld(seconds: Int64)
    /// The time is further ahead than the tolerance.
    case tooNew(seconds: Int64)
    /// There are more signatures than we try.
    case tooManySignatures(limit: Int)
    /// No signature is one under a trusted key.
    case noMatch

    /// The header and the rule that it breaks.
    package var description: String {
        switch self {
        case .wrongID: "webhook-id: must have at least one character, and no full stop"
        case .wrongTimestamp: "webhook-timestamp: must be seconds since 1970, 1 to 12 digits"
        case .tooOld(let seconds): "webhook-timestamp: is \(seconds) s old, which is beyond the tolerance"
        case .tooNew(let seconds): "webhook-timestamp: is \(seconds) s ahead, which is beyond the tolerance"
        case .tooManySignatures(let limit): "webhook-signature: must have at most \(limit) signatures"
        case .noMatch: "webhook-signature: no signature is one under the keys"
        }
    }
}
