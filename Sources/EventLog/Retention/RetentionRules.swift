package import PostgresClient

/// How many days what is written stays; nil stands for ever.
///
/// Days are UTC days of writing, by the database's clock. With 30, a day is removed when it has been over for 30 days:
/// what was written stays for 30 times 24 hours at least.
package struct RetentionRules: Sendable, Equatable {
    /// The bodies of postbacks.
    package var bodyDays: Int32?
    /// The log.
    package var logDays: Int32?
    /// Source addresses and User-Agents, of bodies and in the quarantine.
    package var addressDays: Int32?
    /// A reader of the log that needs a day older than this does not keep it any more, and is removed.
    ///
    /// The readers `figures` and `answers` always keep it.
    package var readerDays: Int32?
    /// What loads of the operator changed, so that they can be taken back, by the time of the load.
    package var loadDays: Int32?
    /// Entries of the trail, by the time of writing; 30 at least.
    package var trailDays: Int32?

    /// Everything stays for ever.
    package init() {}
}

/// What consists of days that can be dropped.
package enum DayPart: String, Sendable, Hashable, CaseIterable {
    /// The bodies of postbacks.
    case body
    /// The log.
    case log
}

/// A UTC day of writing of the bodies or of the log.
package struct WrittenDay: Sendable, Hashable {
    /// What was written.
    package let part: DayPart
    /// The day.
    package let day: PostgresDate
}

/// What happened when days that are past their retention were dropped.
package struct RetentionReport: Sendable {
    /// A day that stays beyond its retention.
    package struct Held: Sendable, Hashable {
        /// The day.
        package let day: WrittenDay
        /// The names of the readers of the log that need it.
        package let readers: [String]
    }

    /// The days that were dropped.
    package internal(set) var dropped: [WrittenDay] = []
    /// The readers of the log that were removed, each with the first day that it needed.
    package internal(set) var droppedReaders: [(reader: String, day: WrittenDay)] = []
    /// The days that readers keep.
    package internal(set) var held: [Held] = []
    /// The first day whose lock was not free; later ones were not tried.
    package internal(set) var busy: WrittenDay?
    /// Why the database refused a day; later ones were not tried.
    package internal(set) var failure: (any Error)?

    /// Whether all days were tried.
    package var isComplete: Bool { busy == nil && failure == nil }
}
