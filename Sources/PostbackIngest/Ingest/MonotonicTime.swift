package import Metrics
import Observability

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
