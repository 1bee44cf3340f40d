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
    package static let system = WallClock { SystemClock.milliseconds() }
}

/// The clocks of the machine.
///
/// They are read several times for each request. `Date` and `ContinuousClock` take longer.
package enum SystemClock {
    /// The time of day: milliseconds since 1970-01-01 00:00 UTC.
    package static func milliseconds() -> Int64 { nanoseconds(of: CLOCK_REALTIME) / 1_000_000 }

    /// A clock that is never set back: nanoseconds since some moment before the program began.
    package static func monotonicNanoseconds() -> Int64 { nanoseconds(of: CLOCK_MONOTONIC) }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var now = timespec()
        clock_gettime(clock, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}
