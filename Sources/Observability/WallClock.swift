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
