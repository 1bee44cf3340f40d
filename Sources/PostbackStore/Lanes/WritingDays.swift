import PostgresClient
import Synchronization

/// The day of writing of each lane, as far as this server knows it.
///
/// The day only moves forward. The database decides: it refuses a batch of an earlier day, and it does not move a lane
/// beyond tomorrow by its own clock.
final class WritingDays: Sendable {
    private struct Entry {
        /// The day that the database returned.
        let day: PostgresDate
        /// The database must be asked again when this server's clock is beyond this day.
        let asked: PostgresDate
    }

    private let entries = Mutex<[Int16: Entry]>([:])

    /// The day for the next batch of a lane; nil if the database must be asked first.
    ///
    /// - Parameter today: Today by this server's clock. The lane's day can be later, if this clock is behind, and
    ///   earlier, if this clock is far ahead.
    func day(of lane: Int16, today: PostgresDate) -> PostgresDate? {
        entries.withLock { entries in
            guard let entry = entries[lane], today <= entry.asked else { return nil }
            return entry.day
        }
    }

    /// Stores the day that the database returned when this server's clock showed `today`.
    func set(_ day: PostgresDate, of lane: Int16, asked today: PostgresDate) {
        entries.withLock { $0[lane] = Entry(day: day, asked: max(day, today)) }
    }
}
