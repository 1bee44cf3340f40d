import PostgresClient
import Synchronization

/// The day that each lane is written in, as this server knows it.
///
/// A day only moves on. The database has the last word: it refuses a batch of an earlier day than the lane's, and moves no
/// lane beyond its own tomorrow.
final class WritingDays: Sendable {
    private struct Entry {
        /// What the database said.
        let day: PostgresDate
        /// Up to this day of this server's clock there is nothing to ask.
        let asked: PostgresDate
    }

    private let entries = Mutex<[Int16: Entry]>([:])

    /// The day for the next batch of a lane; nil if the database must be asked first.
    ///
    /// - Parameter today: The day of this server's clock. If the clock is behind, the lane's day is a later one; if it is
    ///   far ahead, an earlier one.
    func day(of lane: Int16, today: PostgresDate) -> PostgresDate? {
        entries.withLock { entries in
            guard let entry = entries[lane], today <= entry.asked else { return nil }
            return entry.day
        }
    }

    /// Takes in what the database says to the day of this server's clock.
    func set(_ day: PostgresDate, of lane: Int16, asked today: PostgresDate) {
        entries.withLock { $0[lane] = Entry(day: day, asked: max(day, today)) }
    }
}
