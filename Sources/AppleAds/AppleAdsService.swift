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
    /// How many tokens are exchanged at once, at most.
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
    ///   - pause: How often to look for tokens that are due.
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
                try await exchangeAll(by: client)
                return .zero
            }
        }
        await client.close()
    }

    /// What a child task comes back with.
    private enum Occurrence: Sendable {
        /// It is time to look for tokens.
        case tick
        /// Apple was asked.
        case answered(ClaimedToken, TokenFate)
        /// What became of so many tokens is stored.
        case settled(Int, areFailures: Bool)
    }

    /// Exchanges tokens until the task is cancelled or the database fails.
    ///
    /// Each token has a place until what became of it is stored, so a request that hangs holds up no other. What was
    /// answered while others were stored is stored together. What is under way when the database fails is due again in
    /// a minute.
    private func exchangeAll(by client: AppleAdsClient) async throws {
        try await withThrowingTaskGroup(of: Occurrence.self) { group in
            var taken = 0
            var fates: [(token: ClaimedToken, fate: TokenFate)] = []
            var (isDue, mayBeMore, isSettling) = (true, false, false)
            let pause = self.pause
            group.addTask { try await Self.tick(after: pause) }
            while true {
                let room = Self.portion - taken
                if isDue, room > 0 {
                    let tokens = try await claim(atMost: room)
                    (isDue, mayBeMore) = (false, tokens.count == room)
                    taken += tokens.count
                    for token in tokens {
                        group.addTask { .answered(token, await Self.fate(of: token, by: client)) }
                    }
                }
                if !isSettling, !fates.isEmpty {
                    let ended = fates
                    (fates, isSettling) = ([], true)
                    group.addTask {
                        try await settle(ended)
                        return .settled(ended.count, areFailures: ended.allSatisfy(\.fate.isFailure))
                    }
                }
                guard let occurrence = try await group.next() else { return }
                // What was given up, since the server stops, says nothing of a token.
                try Task.checkCancellation()
                switch occurrence {
                case .tick:
                    isDue = true
                    group.addTask { try await Self.tick(after: pause) }
                case .answered(let token, let fate): fates.append((token: token, fate: fate))
                case .settled(let count, let areFailures):
                    isSettling = false
                    taken -= count
                    // If Apple takes nothing, other tokens need not ask at once. Several are claimed together.
                    if mayBeMore, !areFailures, taken <= Self.portion / 2 { isDue = true }
                }
            }
        }
    }

    private static func tick(after pause: Duration) async throws -> Occurrence {
        try await Task.sleep(for: pause)
        return .tick
    }

    private static func fate(of token: ClaimedToken, by client: AppleAdsClient) async -> TokenFate {
        TokenFate(
            await client.exchange(token.text), attempts: token.attempts, misses: token.misses,
            jitter: Double.random(in: 0...1))
    }

    /// Takes tokens that are due.
    private func claim(atMost count: Int) async throws -> [ClaimedToken] {
        let claimed = try await store.claimAppleAdsTokens(atMost: count)
        metrics.countExpired(claimed.expired)
        if claimed.expired > 0 {
            dead.log(to: logger, ["reason": "expired", "count": "\(claimed.expired)"])
        }
        return claimed.tokens
    }

    /// Stores what became of tokens, and tells it.
    private func settle(_ fates: [(token: ClaimedToken, fate: TokenFate)]) async throws {
        let counts = try await store.settle(fates, isTest: address != .apple)
        for (fate, isFirst) in zip(fates.map(\.fate), counts) where isFirst { tell(fate) }
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
