import AppStoreClient

/// What becomes of a token after a request to Apple.
enum TokenFate: Sendable, Equatable {
    /// Apple has said what it knows.
    case recorded(AppleAdsRecord)
    /// It is not sent again.
    case dead(reason: String)
    /// It is sent again after a while.
    case postponed(milliseconds: Int64, isMiss: Bool, reason: String)

    /// Whether there was no answer of Apple's about the token.
    var isFailure: Bool {
        if case .postponed(milliseconds: _, isMiss: false, reason: _) = self { true } else { false }
    }

    /// How often a token that Apple does not know is sent again, and after how long (Apple, "attributionToken()").
    private static let mostMisses = 3
    private static let missPause: Int64 = 5_000
    /// The longest pause after the first failure; it doubles with each one.
    private static let firstPause: Int64 = 10_000
    /// The longest pause.
    private static let longestPause: Int64 = 1_800_000

    /// Judges an answer.
    ///
    /// - Parameters:
    ///   - attempts: How often the token was sent, from 1.
    ///   - misses: How often Apple did not know it before.
    ///   - jitter: 0 … 1.
    init(_ answer: AppleAdsAnswer, attempts: Int32, misses: Int16, jitter: Double) {
        switch answer {
        case .record(let record): self = .recorded(record)
        case .badToken: self = .dead(reason: "bad_token")
        case .notFound:
            self =
                misses < Self.mostMisses
                ? .postponed(milliseconds: Self.missPause, isMiss: true, reason: "not_found")
                : .dead(reason: "not_found")
        case .later(let reason):
            let longest = min(Self.longestPause, Self.firstPause << Int64(min(max(attempts, 1) - 1, 16)))
            self = .postponed(
                milliseconds: longest / 2 + Int64(Double(longest / 2) * jitter), isMiss: false, reason: reason)
        }
    }
}
