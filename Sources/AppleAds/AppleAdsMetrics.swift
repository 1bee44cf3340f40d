import Metrics

/// The metrics of tokens of Apple Ads.
///
/// Each is made once and shared.
package final class AppleAdsMetrics: Sendable {
    /// What a request to Apple came to.
    enum Outcome: String, CaseIterable {
        /// An ad led to the install.
        case attributed
        /// No ad did.
        case unattributed
        /// The token is sent again.
        case later
        /// It is not.
        case dead
    }

    private let outcomes: [Outcome: Counter]
    private let waiting = Gauge(label: "adattribution_apple_ads_waiting")
    private let oldest = Gauge(label: "adattribution_apple_ads_oldest_waiting_seconds")

    /// Makes them all, so that each is shown from the start.
    package init() {
        outcomes = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map {
                ($0, Counter(label: "adattribution_apple_ads_tokens_total", dimensions: [("outcome", $0.rawValue)]))
            })
    }

    /// Counts tokens.
    func count(_ outcome: Outcome, _ number: Int = 1) { outcomes[outcome]?.increment(by: number) }

    /// Counts tokens that have waited for 24 hours and died.
    package func countExpired(_ number: Int) { count(.dead, number) }

    /// Shows what the database says, the same on each server.
    package func show(_ backlog: AppleAdsBacklog) {
        waiting.record(backlog.waiting)
        oldest.record(backlog.oldestSeconds)
    }
}
