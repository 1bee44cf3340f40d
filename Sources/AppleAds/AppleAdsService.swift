package import AppStoreClient
import BackgroundWork
package import Logging
import Observability
package import PostbackStore
import ServiceLifecycle

/// Exchanges tokens of Apple Ads that wait in the database, as long as some do.
///
/// Several servers share the work: each takes tokens for a minute by the database's clock. If one is killed, its tokens
/// are due again after that. A token that is exchanged twice counts once.
package struct AppleAdsService: Service {
    /// How many tokens are exchanged at once.
    static let portion = 16

    private let store: PostbackStore
    private let address: AppleAdsAddress
    private let metrics: AppleAdsMetrics
    private let timeout: Duration
    private let pause: Duration
    private let logger: Logger
    private let failed = RepeatedLine(.warning, "a token of Apple Ads was not exchanged, and is sent again later")
    private let dead = RepeatedLine(.notice, "a token of Apple Ads was given up")

    /// Takes the store that has the tokens.
    ///
    /// - Parameters:
    ///   - timeout: The time that a request may take; less than a lease.
    ///   - pause: How long to wait before looking again if no tokens were due.
    package init(
        store: PostbackStore, address: AppleAdsAddress, metrics: AppleAdsMetrics, timeout: Duration = .seconds(10),
        pause: Duration = .seconds(1), logger: Logger
    ) {
        self.store = store
        self.address = address
        self.metrics = metrics
        self.timeout = timeout
        self.pause = pause
        self.logger = logger
    }

    /// Exchanges tokens until the services stop.
    ///
    /// What is under way then is due again in a minute, here or elsewhere.
    package func run() async throws {
        let client = AppleAdsClient(at: address, timeout: timeout)
        await cancelWhenGracefulShutdown {
            await Repetition.run(
                pausing: .seconds(5), warning: "tokens of Apple Ads wait for the database", to: logger
            ) {
                try await exchange(by: client) ? .zero : pause
            }
        }
        await client.close()
    }

    /// Exchanges tokens that are due.
    ///
    /// - Returns: Whether more may be due.
    private func exchange(by client: AppleAdsClient) async throws -> Bool {
        let claimed = try await store.claimAppleAdsTokens(atMost: Self.portion)
        metrics.countExpired(claimed.expired)
        if claimed.expired > 0 {
            dead.log(to: logger, ["reason": "expired", "count": "\(claimed.expired)"])
        }
        guard !claimed.tokens.isEmpty else { return false }
        let fates = await withTaskGroup(of: (token: ClaimedToken, fate: TokenFate).self) { group in
            for token in claimed.tokens {
                group.addTask {
                    let answer = await client.exchange(token.text)
                    let fate = TokenFate(
                        answer, attempts: token.attempts, misses: token.misses, jitter: Double.random(in: 0...1))
                    return (token: token, fate: fate)
                }
            }
            var fates: [(token: ClaimedToken, fate: TokenFate)] = []
            for await fate in group { fates.append(fate) }
            return fates
        }
        // What was given up, since the server stops, says nothing of a token.
        try Task.checkCancellation()
        let counts = try await store.settle(fates, isTest: address != .apple)
        for (fate, isFirst) in zip(fates.map(\.fate), counts) where isFirst { tell(fate) }
        // If Apple takes nothing, tokens behind these need not ask at once.
        return claimed.tokens.count == Self.portion && !fates.allSatisfy { $0.fate.isFailure }
    }

    /// Counts and logs what became of a token, without anything of it.
    private func tell(_ fate: TokenFate) {
        switch fate {
        case .recorded(let record): metrics.count(record.isAttributed ? .attributed : .unattributed)
        case .dead(let reason):
            metrics.count(.dead)
            dead.log(to: logger, ["reason": "\(reason)"])
        case .postponed(milliseconds: _, isMiss: let isMiss, reason: let reason):
            metrics.count(.later)
            if !isMiss { failed.log(to: logger, ["reason": "\(reason)"]) }
        }
    }
}
