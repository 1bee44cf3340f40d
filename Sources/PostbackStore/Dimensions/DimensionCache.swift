import AdAttribution
import Synchronization

/// The numbers of the dimensions' rows that this server has read.
///
/// Rows never change, so the cache stays true on one timeline of the database. A dictionary that grows beyond its bound
/// is emptied. Its rows are read again when they are needed.
final class DimensionCache: Sendable {
    private let numbers = Mutex(DimensionNumbers())
    private let readOn = Mutex(Reading())
    private let bound: Int

    private struct Reading {
        var timeline = Timeline.unknown
        /// Whether rows were forgotten for another timeline, and `takeRefill` has not been called since.
        var mustRefill = false
    }

    /// Makes a cache for at most `bound` rows of each dimension, or for those of one batch if they are more.
    init(bound: Int = 500_000) {
        self.bound = bound
    }

    /// The timeline on which everything here was read.
    var timeline: Timeline { readOn.withLock(\.timeline) }

    /// Forgets everything if this is another timeline.
    func begin(_ timeline: Timeline) {
        readOn.withLock { readOn in
            guard readOn.timeline != timeline else { return }
            readOn = Reading(timeline: timeline, mustRefill: readOn.mustRefill || readOn.timeline != .unknown)
            numbers.withLock { $0 = DimensionNumbers() }
        }
    }

    /// Whether another timeline has begun since the last call, so that most rows should be read at once.
    func takeRefill() -> Bool {
        readOn.withLock { readOn in
            defer { readOn.mustRefill = false }
            return readOn.mustRefill
        }
    }

    /// Begins the timeline on which many rows were read, and adds them.
    func refill(_ read: DimensionNumbers, on timeline: Timeline) {
        begin(timeline)
        _ = takeRefill()
        add(read, on: timeline)
    }

    /// The numbers for the keys of one postback; nil if one of them is unknown.
    func numbers(of keys: DimensionKeys) -> DimensionIDs? { numbers.withLock { $0.ids(of: keys) } }

    /// The numbers for each of the keys; nil if one of them is unknown.
    ///
    /// - Parameter missed: Is called with the keys whose numbers are unknown, and their place.
    func numbers(
        of keys: some Collection<DimensionKeys>, missed: (_ place: Int, _ keys: DimensionKeys) -> Void
    ) -> [DimensionIDs?] {
        numbers.withLock { numbers in
            keys.enumerated().map { place, keys in
                let ids = numbers.ids(of: keys)
                if ids == nil { missed(place, keys) }
                return ids
            }
        }
    }

    /// The known numbers of the keys, as a copy, which is never emptied.
    func known(of keys: DimensionRows) -> DimensionNumbers {
        numbers.withLock { numbers in
            var known = DimensionNumbers()
            for key in keys.lines { known.lines[key] = numbers.lines[key] }
            for key in keys.domains { known.domains[key] = numbers.domains[key] }
            for key in keys.traits { known.traits[key] = numbers.traits[key] }
            return known
        }
    }

    /// Adds rows that were read, unless another timeline has begun since.
    func add(_ read: DimensionNumbers, on timeline: Timeline) {
        readOn.withLock { readOn in
            guard readOn.timeline == timeline else { return }
            numbers.withLock { numbers in
                numbers.lines.add(read.lines, bound: bound)
                numbers.domains.add(read.domains, bound: bound)
                numbers.traits.add(read.traits, bound: bound)
            }
        }
    }
}

extension Dictionary {
    fileprivate mutating func add(_ others: Self, bound: Int) {
        guard !others.isEmpty else { return }
        if count + others.count > bound { removeAll(keepingCapacity: true) }
        merge(others) { $1 }
    }
}
