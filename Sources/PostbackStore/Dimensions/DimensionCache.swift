import AdAttribution
import Synchronization

/// The numbers of the dimensions' rows that this server has read.
///
/// Rows never change, so the cache stays true on one timeline of the database. Of each dimension it has a bounded number
/// of rows, and forgets first what no postback has named for longest (`TwoGenerations`). These are read again when they
/// are needed.
///
/// Event loops take its lock. So no rows are merged or freed under it but those of a batch.
final class DimensionCache: Sendable {
    private let state: Mutex<State>
    private let bound: Int

    private struct State {
        var timeline = Timeline.unknown
        /// Whether rows were forgotten for another timeline, and `takeRefill` has not been called since.
        var mustRefill = false
        var rows: Rows
    }

    private struct Rows {
        var lines: TwoGenerations<LineKey, DimensionNumbers.Line>
        var domains: TwoGenerations<SourceDomain, Int64>
        var traits: TwoGenerations<TraitsKey, Int32>

        init(bound: Int) {
            lines = TwoGenerations(bound: bound)
            domains = TwoGenerations(bound: bound)
            traits = TwoGenerations(bound: bound)
        }

        mutating func ids(of keys: DimensionKeys) -> DimensionIDs? {
            guard let line = lines.value(of: keys.line), let traits = traits.value(of: keys.traits),
                let source = SourceNumber.number(of: keys.source, domain: { domains.value(of: $0) })
            else { return nil }
            return DimensionIDs(network: line.network, line: line.line, source: source, traits: traits)
        }
    }

    /// Makes a cache for at most `bound` rows of each dimension, or for 2 if that is more.
    ///
    /// Half a million lines take about 100 MB, as many domains half of that.
    init(bound: Int = 500_000) {
        self.bound = bound
        state = Mutex(State(rows: Rows(bound: bound)))
    }

    /// The timeline on which everything here was read.
    var timeline: Timeline { state.withLock(\.timeline) }

    /// Forgets everything if this is another timeline.
    func begin(_ timeline: Timeline) {
        // They are freed when the lock is not held.
        let forgotten: Rows? = state.withLock { state in
            guard state.timeline != timeline else { return nil }
            if state.timeline != .unknown { state.mustRefill = true }
            state.timeline = timeline
            let all = state.rows
            state.rows = Rows(bound: bound)
            return all
        }
        _ = forgotten
    }

    /// Whether another timeline has begun since the last call, so that most rows should be read at once.
    func takeRefill() -> Bool {
        state.withLock { state in
            defer { state.mustRefill = false }
            return state.mustRefill
        }
    }

    /// Takes many rows of lines and domains, unless another timeline has begun since they were read.
    ///
    /// What was added on this timeline meanwhile stays. If nothing was read before, the timeline begins. Else it does not:
    /// a connection that is left over may still reach the server from which a standby has taken over.
    func refill(_ read: DimensionNumbers, on timeline: Timeline) {
        state.withLock { state in
            if state.timeline == .unknown { state.timeline = timeline }
            guard state.timeline == timeline else { return }
            state.rows.lines.fill(read.lines)
            state.rows.domains.fill(read.domains)
        }
    }

    /// The numbers for the keys of one postback, and the timeline on which they were read; nil if one of them is unknown.
    func rows(of keys: DimensionKeys) -> DeliveryRows? {
        state.withLock { state in
            state.rows.ids(of: keys).map { DeliveryRows(ids: $0, timeline: state.timeline) }
        }
    }

    /// The numbers for each of the keys; nil if one of them is unknown.
    ///
    /// - Parameter missed: Gets the place and the keys of each postback of which a row is unknown.
    func numbers(
        of keys: some Collection<DimensionKeys>, missed: (_ place: Int, _ keys: DimensionKeys) -> Void
    ) -> [DimensionIDs?] {
        state.withLock { state in
            keys.enumerated().map { place, keys in
                let ids = state.rows.ids(of: keys)
                if ids == nil { missed(place, keys) }
                return ids
            }
        }
    }

    /// The known numbers of the keys, as a copy, which never forgets.
    func known(of keys: DimensionRows) -> DimensionNumbers {
        state.withLock { state in
            var known = DimensionNumbers()
            for key in keys.lines { known.lines[key] = state.rows.lines.value(of: key) }
            for key in keys.domains { known.domains[key] = state.rows.domains.value(of: key) }
            for key in keys.traits { known.traits[key] = state.rows.traits.value(of: key) }
            return known
        }
    }

    /// Adds rows that were read for some postbacks, unless another timeline has begun since.
    func add(_ read: DimensionNumbers, on timeline: Timeline) {
        // They are freed when the lock is not held.
        let forgotten: Forgotten? = state.withLock { state in
            guard state.timeline == timeline else { return nil }
            return (
                state.rows.lines.add(read.lines), state.rows.domains.add(read.domains),
                state.rows.traits.add(read.traits)
            )
        }
        _ = forgotten
    }

    private typealias Forgotten = (
        [[LineKey: DimensionNumbers.Line]], [[SourceDomain: Int64]], [[TraitsKey: Int32]]
    )
}

/// A dictionary of bounded size, which forgets what was not asked for.
///
/// It has two generations of half the size. What is added goes into the young one, and what is found in the old one too,
/// while there is room. If the young one is full, it becomes the old one with the next new key, and the old one is
/// forgotten. So the keys that are named most stay.
///
/// Only `add` forgets. It hands out what it forgets, so that the owner can free it outside of its lock.
struct TwoGenerations<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    /// The greatest number of keys of one generation, at least 1.
    private let limit: Int

    /// Makes an empty one for at most `bound` keys, or for 2 if that is more.
    init(bound: Int) {
        limit = max(1, bound / 2)
    }

    /// The value of a key; nil if it is not known, or no longer.
    mutating func value(of key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old[key] else { return nil }
        if young.count < limit { young[key] = value }
        return value
    }

    /// Adds values, one after the other.
    ///
    /// - Returns: The generations that are forgotten for them.
    mutating func add(_ values: [Key: Value]) -> [[Key: Value]] {
        var forgotten: [[Key: Value]] = []
        for (key, value) in values {
            if young.count >= limit, young[key] == nil {
                forgotten.append(old)
                old = young
                // It will be as large, so it need not grow step by step.
                young = Dictionary(minimumCapacity: limit)
            }
            young[key] = value
        }
        return forgotten
    }

    /// Takes values that nobody has asked for yet as the old generation, unless there is one: then what is known is worth
    /// more.
    ///
    /// It takes the same time for any number of values up to that of a generation.
    mutating func fill(_ values: [Key: Value]) {
        guard old.isEmpty else { return }
        old =
            values.count <= limit
            ? values : Dictionary(uniqueKeysWithValues: values.prefix(limit).map { ($0.key, $0.value) })
    }
}
