import AppStoreData
import HTTPTypes
import PostbackIngest
import StrictJSON

/// The answer to a request that should be a notification of the App Store.
enum NotificationAnswer: Sendable {
    /// The notification is stored, now or before.
    case stored(NotificationOutcome)
    /// The notification is refused. Its body is in the quarantine without its secret, unless it was too large.
    case refused(SignedDataError)
    /// Nothing is stored, or it is not sure: Apple tries again.
    case unavailable(Unavailability)

    /// Why nothing is stored.
    enum Unavailability: String, Sendable {
        /// Too many notifications wait.
        case overloaded
        /// It was not stored in time.
        case late
        /// The database failed, or the server is stopping.
        case storage
    }

    /// The outcome of a commit.
    init(_ result: Result<NotificationOutcome, any Error>) {
        switch result {
        case .success(let outcome): self = .stored(outcome)
        // The database refuses its values, and the quarantine has it.
        case .failure(let error as SignedDataError): self = .refused(error)
        case .failure(let error): self = .unavailable(Self.unavailability(error))
        }
    }

    /// The outcome of the quarantine.
    init(_ error: SignedDataError, kept result: Result<Void, any Error>) {
        switch result {
        case .success: self = .refused(error)
        case .failure(let error): self = .unavailable(Self.unavailability(error))
        }
    }

    private static func unavailability(_ error: any Error) -> Unavailability {
        switch error {
        case CommitError.overloaded: .overloaded
        case CommitError.late: .late
        default: .storage
        }
    }

    /// The word in the answer and in the metrics, from a closed set.
    var outcome: String {
        switch self {
        case .stored(let outcome): outcome.rawValue
        case .refused(let error): error.reason.rawValue
        case .unavailable(.overloaded): "overloaded"
        case .unavailable(.late), .unavailable(.storage): "storage_unavailable"
        }
    }

    /// Whether it says that the App Store has signed the notification.
    var isVerified: Bool { if case .stored = self { true } else { false } }

    /// What happened, in words.
    ///
    /// It contains no secret.
    private var detail: String {
        switch self {
        case .stored(.accepted): "stored"
        case .stored(.duplicate): "stored before"
        case .refused(let error): error.description
        case .unavailable(.overloaded): "too many notifications are waiting; nothing was stored"
        case .unavailable(.late): "not stored in time; deliver it again"
        case .unavailable(.storage): "not stored; deliver it again"
        }
    }

    /// Apple stops at 200 and delivers again after everything else.
    private var status: HTTPResponse.Status {
        switch self {
        case .stored: .ok
        case .refused(let error):
            switch error.reason {
            case .malformed: .badRequest
            case .tooLarge: .contentTooLarge
            case .untrustedChain, .invalidSignature, .unknownApp, .wrongEnvironment, .wrongSecret: .forbidden
            }
        case .unavailable: .serviceUnavailable
        }
    }

    /// `{"outcome":…,"detail":…}` with the status of the outcome.
    var json: JSONAnswer {
        let isUnavailable = if case .unavailable = self { true } else { false }
        return JSONAnswer(
            status, "{\"outcome\":\"\(outcome)\",\"detail\":\(JSONText.quoted(detail))}",
            headers: isUnavailable ? [HTTPField(name: .retryAfter, value: "30")] : [])
    }
}
