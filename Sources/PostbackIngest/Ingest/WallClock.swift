import Foundation

/// Where the service takes the time of day from; tests give their own.
package struct WallClock: Sendable {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    package let milliseconds: @Sendable () -> Int64

    /// A clock that asks this function.
    package init(milliseconds: @escaping @Sendable () -> Int64) {
        self.milliseconds = milliseconds
    }

    /// The clock of the machine.
    package static let system = WallClock { Int64(Date().timeIntervalSince1970 * 1_000) }
}
