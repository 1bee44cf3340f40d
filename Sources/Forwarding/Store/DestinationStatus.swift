package import Destinations
package import PostgresClient

/// How a destination is doing.
package struct DestinationStatus: Sendable {
    /// The name.
    package let name: DestinationName
    /// Whether it gets events.
    package let state: DestinationState
    /// Why it is paused or off.
    package let stateReason: String?
    /// The age of the oldest event that its reader has not passed, in seconds; 0 if there is none.
    package let lagSeconds: Double
    /// How many events are delivered in a second, over the last minute or two, without those of a replay.
    package let sentPerSecond: Double
    /// The deliveries that are tried again.
    package let waiting: Int64
    /// The deliveries that are not.
    package let dead: Int64
    /// The events that were delivered in 24 hours, without those of a replay.
    package let sentDay: Int64
    /// The attempts that failed in 24 hours.
    package let failedDay: Int64
    /// The events that became dead letters in 24 hours.
    package let deadDay: Int64
    /// Days that are sent once more; nil if there are none.
    package let replay: ReplayStatus?
    /// Whether only one probe a minute is sent.
    package let isBreakerOpen: Bool
    /// Why nothing is sent now, such as a secret that is missing.
    package let problem: String?
}

/// How far a replay is.
package struct ReplayStatus: Sendable, Equatable {
    /// The first day of writing.
    package let from: PostgresDate
    /// The last day of writing.
    package let to: PostgresDate
    /// The day of writing that is being sent.
    package let day: PostgresDate

    /// The days, and where it is.
    package var text: String { "\(from) to \(to), now in \(max(from, min(day, to)))" }
}
