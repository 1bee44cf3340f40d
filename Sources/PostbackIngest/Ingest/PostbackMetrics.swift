import AdAttribution
package import Metrics
import Observability
import Synchronization

/// What becomes of postbacks, as metrics.
///
/// Each is made once and shared.
package final class PostbackMetrics: Sendable {
    let conflicts = Counter(label: "adattribution_postback_conflicts_total")
    package let unreplicatedCommits = Counter(label: "adattribution_commits_not_replicated_total")
    let postbackDuration = Timer(label: "adattribution_postback_duration_seconds")
    let verifyDuration = Timer(label: "adattribution_postback_verify_seconds")
    let commitDuration = Timer(label: "adattribution_commit_duration_seconds")
    let commitBatchSize = Recorder(label: "adattribution_commit_batch_postbacks")

    private struct Series: Hashable {
        let outcome: PostbackOutcome
        let labels: PostbackLabels
    }

    /// A counter is made when it is first needed.
    ///
    /// So a scrape shows only what has happened.
    private let counters = Mutex<[Series: Counter]>([:])

    package init() {}

    /// Counts one answered postback.
    package func count(_ outcome: PostbackOutcome, _ labels: PostbackLabels) {
        counter(outcome, labels).increment()
    }

    /// The counter of an outcome and labels.
    package func counter(_ outcome: PostbackOutcome, _ labels: PostbackLabels) -> Counter {
        let series = Series(outcome: outcome, labels: labels)
        return counters.withLock { counters in
            if let counter = counters[series] { return counter }
            let counter = Counter(
                label: "adattribution_postbacks_total",
                dimensions: [
                    ("protocol", labels.attributionProtocol), ("version", labels.version),
                    ("environment", labels.environment), ("outcome", outcome.rawValue),
                ])
            counters[series] = counter
            return counter
        }
    }
}

/// The labels of one postback in the metrics.
///
/// All values are from closed sets.
package struct PostbackLabels: Sendable, Hashable {
    /// Version and environment; nil if the signature did not verify, because nothing in such a body can be trusted.
    private let verified: Verified?

    private struct Verified: Hashable {
        /// Nil for AdAttributionKit, which has none.
        let version: SKAdNetworkVersion?
        let environment: AttributionEnvironment
    }

    /// The labels of a postback whose signature did not verify.
    package static let unknown = PostbackLabels(verified: nil)

    private init(verified: Verified?) {
        self.verified = verified
    }

    init(_ verified: VerifiedPostback) {
        self.init(version: verified.postback.version, environment: verified.environment)
    }

    /// The labels of a postback that was verified; the version is nil for AdAttributionKit.
    init(version: SKAdNetworkVersion?, environment: AttributionEnvironment) {
        verified = Verified(version: version, environment: environment)
    }

    var attributionProtocol: String {
        guard let verified else { return "unknown" }
        return (verified.version == nil ? AttributionProtocol.adAttributionKit : .skAdNetwork).rawValue
    }

    var version: String { verified.map { $0.version?.description ?? "none" } ?? "unknown" }

    var environment: String { verified?.environment.rawValue ?? "unknown" }
}

/// A moment of the clock that is never set back, in nanoseconds.
///
/// It measures how long a request takes. `ContinuousClock` would count in attoseconds, which takes longer.
package struct MonotonicTime: Sendable {
    private let nanoseconds: Int64

    /// A moment of that clock.
    init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// This moment.
    package static var now: MonotonicTime { MonotonicTime(nanoseconds: SystemClock.monotonicNanoseconds()) }

    /// The time from an earlier moment to this one.
    package func duration(since earlier: MonotonicTime) -> Duration {
        .nanoseconds(nanoseconds(since: earlier))
    }

    /// The nanoseconds from an earlier moment to this one.
    func nanoseconds(since earlier: MonotonicTime) -> Int64 {
        nanoseconds - earlier.nanoseconds
    }
}

extension Metrics.Timer {
    /// Records the time between two moments.
    package func record(from start: MonotonicTime, to end: MonotonicTime) {
        recordNanoseconds(end.nanoseconds(since: start))
    }
}
