import Glibc

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
