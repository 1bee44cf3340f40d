import DequeModule
import EventLog
import Foundation

/// The events between a reader's committed cursor and the last one that was read.
///
/// It does no input or output, and has no clock: times are parameters. These rules hold:
/// - Events begin in the order of the log. But one whose postback has an earlier event here that is not finished waits
///   for it, and does not hold up others.
/// - The cursor moves over finished events only, in order.
/// - An event that takes too long is handed over: it becomes a row, and its attempt goes on. So one slow answer does not
///   hold the cursor back.
///
/// `Item` is what is sent. `Ending` is how that ended.
struct SendingWindow<Item: Sendable, Ending: Sendable>: Sendable {
    /// An event in the window.
    struct Place: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// What a commit moves the cursor over.
    struct Released: Sendable {
        /// Where the cursor is, and where it will be.
        var from: LogCursor
        var to: LogCursor
        /// How the events ended, in order.
        var endings: [Ending] = []
        /// The events whose attempts go on.
        var handedOver: [(place: Place, item: Item)] = []
    }

    private enum Phase {
        /// Can transition to: underWay (`begin`).
        case waiting(Item)
        /// Can transition to: finished (`finish`), waiting (`putBack`), or leaves the window (`release`).
        case underWay(Item, since: ContinuousClock.Instant)
        /// Nil if the destination does not get the event.
        ///
        /// Leaves the window (`release`).
        case finished(Ending?)
    }

    private struct Entry {
        let postback: UUID?
        var cursor: LogCursor
        var phase: Phase
    }

    private var cursor: LogCursor
    private var entries = Deque<Entry>()
    /// The number of the first entry.
    private var first: Int
    /// Events that may begin, in order, by number.
    private var ready = Deque<Int>()
    /// The events that wait for an earlier one of their postback, for each postback with an unfinished event.
    private var followers: [UUID: Deque<Int>] = [:]

    /// The number of events that have not begun.
    private(set) var waiting = 0
    /// The number of events that are finished, without those that the destination does not get.
    private(set) var finished = 0

    /// An empty window behind a committed cursor.
    ///
    /// - Parameter number: Where its places begin, so that those of a window before it are not taken for its own.
    init(from cursor: LogCursor, number: Int = 0) {
        self.cursor = cursor
        first = number
    }

    /// Where the places of the next window begin.
    var nextNumber: Int { first + entries.count }

    /// Whether nothing is to be sent or committed.
    var isEmpty: Bool { entries.isEmpty }

    /// Whether the cursor can't move before another event has begun.
    var isIdle: Bool {
        guard let first = entries.first else { return true }
        if case .waiting = first.phase { return true }
        return false
    }

    /// The cursor behind the last event that was read.
    var end: LogCursor { entries.last?.cursor ?? cursor }

    /// Adds the next event of the log, or only moves the end if the destination does not get what is there.
    mutating func add(_ item: Item?, of postback: UUID, upTo cursor: LogCursor) {
        guard let item else { return skip(to: cursor) }
        let number = nextNumber
        entries.append(Entry(postback: postback, cursor: cursor, phase: .waiting(item)))
        waiting += 1
        if followers[postback] == nil {
            followers[postback] = []
            ready.append(number)
        } else {
            followers[postback]?.append(number)
        }
    }

    /// Moves the end of the window over events that the destination does not get.
    mutating func skip(to cursor: LogCursor) {
        guard cursor != end else { return }
        if let last = entries.indices.last, entries[last].postback == nil {
            entries[last].cursor = cursor
        } else {
            entries.append(Entry(postback: nil, cursor: cursor, phase: .finished(nil)))
        }
    }

    /// Begins the next event whose postback is not busy elsewhere; nil if there is none.
    mutating func begin(at now: ContinuousClock.Instant, unless isBusy: (UUID) -> Bool) -> (place: Place, item: Item)? {
        guard let index = ready.firstIndex(where: { number in self[number].postback.map { !isBusy($0) } ?? false })
        else { return nil }
        let number = ready.remove(at: index)
        guard case .waiting(let item) = self[number].phase else { preconditionFailure("a ready event waits") }
        self[number].phase = .underWay(item, since: now)
        waiting -= 1
        return (Place(number: number), item)
    }

    /// Whether the event is still in the window; if not, it was handed over.
    func holds(_ place: Place) -> Bool { place.number >= first }

    /// The attempt of an event in the window ended.
    mutating func finish(_ place: Place, _ ending: Ending) {
        guard case .underWay = self[place.number].phase else { preconditionFailure("only a begun event ends") }
        self[place.number].phase = .finished(ending)
        finished += 1
        letNextBegin(after: place.number)
    }

    /// The attempt of an event in the window did not take place.
    mutating func putBack(_ place: Place) {
        guard case .underWay(let item, _) = self[place.number].phase else {
            preconditionFailure("only a begun event is put back")
        }
        self[place.number].phase = .waiting(item)
        waiting += 1
        ready.insert(place.number, at: ready.firstIndex { $0 > place.number } ?? ready.endIndex)
    }

    /// Takes the finished events at the front out of the window, and those that have been under way for too long.
    ///
    /// - Parameter patience: How long an event may be under way at the front.
    /// - Returns: nil if the cursor can't move.
    mutating func release(at now: ContinuousClock.Instant, patience: Duration) -> Released? {
        var released = Released(from: cursor, to: cursor)
        while let entry = entries.first {
            switch entry.phase {
            case .finished(let ending):
                if let ending {
                    released.endings.append(ending)
                    finished -= 1
                }
            case .underWay(let item, let since) where now - since >= patience:
                released.handedOver.append((Place(number: first), item))
                letNextBegin(after: first)
            case .underWay, .waiting:
                return released.to == released.from ? nil : move(released)
            }
            released.to = entry.cursor
            entries.removeFirst()
            first += 1
        }
        return released.to == released.from ? nil : move(released)
    }

    private mutating func move(_ released: Released) -> Released {
        cursor = released.to
        return released
    }

    /// The next event of the same postback may begin.
    ///
    /// Another attempt of the first one may still be under way.
    private mutating func letNextBegin(after number: Int) {
        guard let postback = self[number].postback else { return }
        guard let next = followers[postback]?.popFirst() else {
            followers[postback] = nil
            return
        }
        ready.insert(next, at: ready.firstIndex { $0 > next } ?? ready.endIndex)
    }

    private subscript(number: Int) -> Entry {
        get { entries[number - first] }
        set { entries[number - first] = newValue }
    }
}
