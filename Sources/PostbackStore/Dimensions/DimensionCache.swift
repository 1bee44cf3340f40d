import AdAttribution
import Synchronization

/// The numbers of the dimensions' rows that this server has read.
///
/// Rows never change, so the cache stays true on one timeline of the database. Of each dimension it has a bounded number
/// of rows, and forgets first what no postback has named for longest (`TwoGenerations`). These are read again when they
/// are needed.
///
/// Event loops take its locks. So no rows are merged or freed under them but those of a batch.
final class DimensionCache: Sendable {
    private let rows: Mutex<Rows>
    private let readOn = Mutex(Reading())
    private let bound: Int

    private struct Reading {
        var timeline = Timeline.unknown
        /// Whether rows were forgotten for another timeline, and `takeRefill` has not been called since.
        var mustRefill = false
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
        rows = Mutex(Rows(bound: bound))
    }

    /// The timeline on which everything here was read.
    var timeline: Timeline { readOn.withLock(\.timeline) }

    /// Forgets everything if this is another timeline.
    func begin(_ timeline: Timeline) {
        // They are freed when no lock is held.
        let forgotten: Rows? = readOn.withLock { readOn in
            guard readOn.timeline != timeline else { return nil }
            readOn = Reading(timeline: timeline, mustRefill: readOn.mustRefill || readOn.timeline != .unknown)
            return rows.withLock { rows in
                let all = rows
                rows = Rows(bound: bound)
                return all
            }
        }
        _ = forgotten
    }

    /// Whether another timeline has begun since the last call, so that most rows should be read at once.
    func takeRefill() -> Bool {
        readOn.withLock { readOn in
            defer { readOn.mustRefill = false }
            return readOn.mustRefill
        }
    }

    /// Takes many rows of lines and domains, unless another timeline has begun since they were read.
    ///
    /// What was added on this timeline meanwhile stays. If nothing was read before, the timeline begins. Else it does not:
    /// a connection that is left over may still reach the server from which a standby has taken over.
    func refill(_ read: DimensionNumbers, on timeline: Timeline) {
        readOn.withLock { readOn in
            if readOn.timeline == .unknown { readOn.timeline = timeline }
            guard readOn.timeline == timeline else { return }
            rows.withLock { rows in
                rows.lines.fill(read.lines)
                rows.domains.fill(read.domains)
            }
        }
    }

    /// The numbers for the keys of one postback; nil if one of them is unknown.
    func numbers(of keys: DimensionKeys) -> DimensionIDs? { rows.withLock { $0.ids(of: keys) } }

    /// The numbers for each of the keys; nil if one of them is unknown.
    ///
    /// - Parameter missed: Is called with the keys whose numbers are unknown, and their place.
    func numbers(
        of keys: some Collection<DimensionKeys>, missed: (_ place: Int, _ keys: DimensionKeys) -> Void
    ) -> [DimensionIDs?] {
        rows.withLock { rows in
            keys.enumerated().map { place, keys in
                let ids = rows.ids(of: keys)
                if ids == nil { missed(place, keys) }
                return ids
            }
        }
    }

    /// The known numbers of the keys, as a copy, which never forgets.
    func known(of keys: DimensionRows) -> DimensionNumbers {
        rows.withLock { rows in
            var known = DimensionNumbers()
            for key in keys.lines { known.lines[key] = rows.lines.value(of: key) }
            for key in keys.domains { known.domains[key] = rows.domains.value(of: key) }
            for key in keys.traits { known.traits[key] = rows.traits.value(of: key) }
            return known
        }
    }

    /// Adds rows that were read for some postbacks, unless another timeline has begun since.
    func add(_ read: DimensionNumbers, on timeline: Timeline) {
        // They are freed when no lock is held.
        let forgotten: Forgotten? = readOn.withLock { readOn in
            guard readOn.timeline == timeline else { return nil }
            return rows.withLock { rows in
                (rows.lines.add(read.lines), rows.domains.add(read.domains), rows.traits.add(read.traits))
            }
        }
        _ = forgotten
    }

    private typealias Forgotten = (
        [[LineKey: DimensionNumbers.Line]], [[SourceDomain: Int64]], [[TraitsKey: Int32]]
    )
}
