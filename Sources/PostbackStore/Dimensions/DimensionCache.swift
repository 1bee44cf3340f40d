import AdAttribution
import Synchronization

/// The numbers of the dimensions' rows that this server has read.
///
/// Rows never change, so the cache stays true on one timeline of the database. A dictionary that grows beyond its bound
/// is emptied. Its rows are read again when they are needed.
final class DimensionCache: Sendable {
    private let numbers = Mutex(DimensionNumbers())
    private let readOn = Mutex(Timeline.unknown)
    private let bound: Int

    /// Makes a cache for at most `bound` rows of each dimension, or for those of one batch if they are more.
    init(bound: Int = 500_000) {
        self.bound = bound
    }

    /// The timeline on which everything here was read.
    var timeline: Timeline { readOn.withLock { $0 } }

    /// Forgets everything if this is another timeline.
    func begin(_ timeline: Timeline) {
        readOn.withLock { readOn in
            guard readOn != timeline else { return }
            readOn = timeline
            numbers.withLock { $0 = DimensionNumbers() }
        }
    }

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
            for key in keys.sources { known.sources[key] = numbers.sources[key] }
            for key in keys.traits { known.traits[key] = numbers.traits[key] }
            return known
        }
    }

    /// Adds rows that were read, unless another timeline has begun since.
    func add(_ read: DimensionNumbers, on timeline: Timeline) {
        readOn.withLock { readOn in
            guard readOn == timeline else { return }
            numbers.withLock { numbers in
                numbers.lines.add(read.lines, bound: bound)
                numbers.sources.add(read.sources, bound: bound)
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
