// Either module may be the one that defines timespec: the one that is loaded first.
import CDispatch
import Glibc

/// The service's source of the time of day.
///
/// Tests have their own.
package struct WallClock: Sendable {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    package let milliseconds: @Sendable () -> Int64

    /// Makes a clock from a function.
    package init(milliseconds: @escaping @Sendable () -> Int64) {
        self.milliseconds = milliseconds
    }

    /// The clock of the machine.
    package static let system = WallClock {
        // It is read several times for each request, and `Date` would take longer.
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
    }
}
