package import Access
package import AuditTrail
package import HTTPTypes
package import Logging
import Metrics
package import Observability
package import PostbackIngest
import Synchronization

/// Checks the tokens that clients of the admin listener send, and bounds what guessing costs.
///
/// A wrong token is answered after a pause, and only a few wait at once; others are answered at once, in the same way. A
/// right token is never delayed. So somebody who guesses locks nobody out, and learns nothing but that a token is wrong.
package final class TokenCheck: Sendable {
    /// How a client sends its token.
    package enum Way: String, CaseIterable, Sendable {
        /// In the header `Authorization`.
        case bearer
        /// In the form of the page.
        case form
    }

    /// Adds to a sum of the trail.
    package typealias Sums = @Sendable (TrailAction, TrailActor, [(name: String, count: Int64)]) -> Void

    /// The greatest number of wrong tokens that wait for their answer.
    static let capacity = 8
    /// `ADMIN_TOKEN`; nil if it is not set.
    package let admin: BearerToken?
    /// The tokens of `tokens.json`.
    private let named: TokensInForce
    private let refusals = Dictionary(
        uniqueKeysWithValues: Way.allCases.map {
            ($0, Counter(label: "adattribution_sign_in_failures_total", dimensions: [("way", $0.rawValue)]))
        })
    private let clock: WallClock
    private let sums: Sums
    private let logger: Logger
    private let pause: Duration
    private let waiting = Mutex(0)
    private let refused = RepeatedLine(.warning, "a wrong admin token was refused")

    /// Takes the tokens.
    ///
    /// - Parameters:
    ///   - sums: Where what is refused is noted.
    ///   - pause: How long a wrong token waits.
    package init(
        admin: BearerToken?, named: TokensInForce, clock: WallClock, logger: Logger, pause: Duration = .seconds(1),
        sums: @escaping Sums
    ) {
        (self.admin, self.named, self.clock, self.sums) = (admin, named, clock, sums)
        self.logger = logger
        self.pause = pause
    }

    /// How many wrong tokens wait now.
    var waitingCount: Int { waiting.withLock(\.self) }

    /// Whether there is a token at all; without one nobody is let in.
    package var hasTokens: Bool { admin != nil || !named.ring.tokens.isEmpty }

    /// Everybody who may be let in now.
    package var callers: [Caller] {
        let now = self.now
        return (admin.map { [Caller(admin: $0)] } ?? [])
            + named.ring.tokens.filter { token in now.map { token.state(at: $0) == .valid } ?? false }.map {
                Caller($0)
            }
    }

    /// Whose token a text is; if it is nobody's, it takes its pause, and is counted, summed and logged.
    ///
    /// Without any token it says so at once.
    package func caller(
        _ text: some StringProtocol & Sendable, _ way: Way, from peer: ConnectionPeer
    ) async -> Caller? {
        guard hasTokens else { return nil }
        var metadata: Logger.Metadata = ["way": "\(way.rawValue)", "from": "\(peer)"]
        if let secret = BearerToken(text) {
            if let admin, admin.isEqual(to: secret) { return Caller(admin: admin) }
            if let token = named.ring.token(secret), let now = self.now {
                let state = token.state(at: now)
                guard state != .valid else { return Caller(token) }
                // Whoever has it knows as much.
                metadata["token"] = "\(token.name) \(token.token.id), \(state.rawValue)"
            }
        }
        refusals[way]?.increment()
        sums(.refusal, .unknown(from: peer.network), [(way.rawValue, 1)])
        refused.log(to: logger, metadata)
        if enter() {
            try? await Task.sleep(for: pause)
            waiting.withLock { $0 -= 1 }
        }
        return nil
    }

    /// 403 for a caller who lacks a scope; it is summed.
    package func denial(of scope: Scope, to caller: Caller, from peer: ConnectionPeer) -> Problem {
        sums(.denial, TrailActor(caller.person, from: peer.network), [(scope.rawValue, 1)])
        return Problem(
            .forbidden, field: "scope", rule: "must be \(scope.rawValue); \(caller.person) has \(caller.scopes.shown)",
            headers: [
                // RFC 6750, section 3.1.
                HTTPField(
                    name: .wwwAuthenticate, value: "Bearer error=\"insufficient_scope\", scope=\"\(scope.rawValue)\"")
            ])
    }

    /// The token that a request has as `Authorization: Bearer`; nil if it has none.
    package static func offered(by headers: HTTPFields) -> Substring? {
        guard let value = headers[.authorization] else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1]
    }

    private var now: TokenTime? { TokenTime(seconds: clock.milliseconds() / 1_000) }

    /// Takes a place among those that wait, if there is one.
    private func enter() -> Bool {
        waiting.withLock { waiting in
            guard waiting < Self.capacity else { return false }
            waiting += 1
            return true
        }
    }
}

extension Set<Scope> {
    /// The names for people; “none” if there is none.
    fileprivate var shown: String { isEmpty ? "none" : text }
}
