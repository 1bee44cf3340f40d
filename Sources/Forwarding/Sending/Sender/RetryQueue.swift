import Foundation

/// The rows that are due, as they were last read.
///
/// It has no clock: times are parameters. A row that is under way may be due in the database until its ending is
/// committed. So its name is kept, and it is left out when rows are read. Rows may also have been read just before the
/// commit, and come here after it. So names are kept until the end of a reading that began before.
struct RetryQueue: Sendable {
    /// How many rows are read at once.
    static let pageSize = 100
    /// How long after rows were read they are read again.
    static let interval = Duration.seconds(1)

    private var rows: [WaitingDelivery] = []
    /// Rows that are under way, or whose ending is not committed.
    private var taken: Set<String> = []
    /// Rows whose ending was committed while others are read.
    private var settled: Set<String> = []
    private var isReading = false
    private var nextRead: ContinuousClock.Instant
    private var mayHaveMore = false

    init(at now: ContinuousClock.Instant) {
        nextRead = now
    }

    /// Whether no row waits here.
    var isEmpty: Bool { rows.isEmpty }

    /// Whether rows are to be read now; then it counts as begun.
    mutating func beginsReading(at now: ContinuousClock.Instant) -> Bool {
        guard !isReading, rows.isEmpty, now >= nextRead else { return false }
        isReading = true
        return true
    }

    /// Rows were read, or could not be (nil).
    mutating func read(_ due: [WaitingDelivery]?, at now: ContinuousClock.Instant) {
        let settled = self.settled
        self.settled = []
        isReading = false
        nextRead = now + Self.interval
        guard let due else { return }
        rows = due.filter { !taken.contains($0.eventID) && !settled.contains($0.eventID) }
        mayHaveMore = due.count >= Self.pageSize
        // They stood in the places of others.
        if mayHaveMore, due.contains(where: { settled.contains($0.eventID) }) { nextRead = now }
    }

    /// Takes the first row whose transaction is not busy.
    ///
    /// - Parameter isEarlier: Whether an earlier file must have made its request, or the present one; nil for either.
    mutating func take(ofEarlierFile isEarlier: Bool? = nil, unless isBusy: (UUID) -> Bool) -> WaitingDelivery? {
        let index = rows.firstIndex { row in
            (isEarlier ?? row.isOfEarlierFile) == row.isOfEarlierFile && !isBusy(row.transactionID)
        }
        guard let index else { return nil }
        let row = rows.remove(at: index)
        taken.insert(row.eventID)
        return row
    }

    /// An event gets a row while its first attempt is under way: the row may fall due before that ends.
    mutating func handOver(_ eventID: String) { taken.insert(eventID) }

    /// The attempt of an event that was handed over did not take place: its row is tried when it is due.
    mutating func letGo(_ eventID: String) { taken.remove(eventID) }

    /// An attempt did not take place.
    mutating func putBack(_ row: WaitingDelivery) {
        taken.remove(row.eventID)
        rows.insert(row, at: 0)
    }

    /// The database has the endings of these.
    mutating func committed(_ eventIDs: some Sequence<String>, at now: ContinuousClock.Instant) {
        let before = taken.count
        for eventID in eventIDs {
            taken.remove(eventID)
            if isReading { settled.insert(eventID) }
        }
        if mayHaveMore, taken.count < before { nextRead = now }
    }
}
