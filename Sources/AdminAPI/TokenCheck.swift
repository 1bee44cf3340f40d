package import Logging
import Metrics
import Observability
package import PostbackIngest
import Synchronization

/// Checks the tokens that clients of the admin listener send, and bounds what guessing costs.
///
/// A wrong token is answered after a pause, and only a few wait at once; others are answered at once, in the same way. The
/// right token is never delayed. So somebody who guesses locks nobody out, and learns nothing but that a token is wrong.
package final class TokenCheck: Sendable {
    /// How a client sends its token.
    package enum Way: String, CaseIterable, Sendable {
        /// In the header `Authorization`.
        case bearer
        /// In the form of the page.
        case form
    }

    /// The greatest number of wrong tokens that wait for their answer.
    static let capacity = 8
    /// The secret; without one no token is right.
    package let token: BearerToken?
    private let refusals = Dictionary(
        uniqueKeysWithValues: Way.allCases.map {
            ($0, Counter(label: "admin_tokens_refused_total", dimensions: [("way", $0.rawValue)]))
        })
    private let logger: Logger
    private let pause: Duration
    private let waiting = Mutex(0)
    private let refused = RepeatedLine(.warning, "a wrong admin token was refused")

    /// - Parameter pause: How long a wrong token waits.
    package init(token: BearerToken?, logger: Logger, pause: Duration = .seconds(1)) {
        self.token = token
        self.logger = logger
        self.pause = pause
    }

    /// How many wrong tokens wait now.
    var waitingCount: Int { waiting.withLock(\.self) }

    /// Whether a text is the token; if it is not, it takes its pause, and is counted and logged.
    ///
    /// Without a secret it says no at once.
    package func allows(_ text: some StringProtocol & Sendable, _ way: Way, from peer: ConnectionPeer) async -> Bool {
        guard let token else { return false }
        if token.isEqual(to: text) { return true }
        refusals[way]?.increment()
        refused.log(to: logger, ["way": "\(way.rawValue)", "from": "\(peer)"])
        if enter() {
            try? await Task.sleep(for: pause)
            waiting.withLock { $0 -= 1 }
        }
        return false
    }

    /// Takes a place among those that wait, if there is one.
    private func enter() -> Bool {
        waiting.withLock { waiting in
            guard waiting < Self.capacity else { return false }
            waiting += 1
            return true
        }
    }
}
