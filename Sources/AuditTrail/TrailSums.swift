import PostgresClient

/// What happens often, summed by action, person and origin until it is written.
struct TrailSums {
    /// The greatest number of sums of an action with an origin of their own.
    static let greatestCount = 100
    /// The origin of a sum of all others.
    static let others = "others"

    private struct Key: Hashable {
        let action: TrailAction
        let actor: TrailActor
    }

    private struct Sum {
        var first: PostgresTimestamp
        var last: PostgresTimestamp
        var counts: [(name: String, count: Int64)] = []

        mutating func add(_ more: [(name: String, count: Int64)]) {
            for (name, count) in more {
                if let place = counts.firstIndex(where: { $0.name == name }) {
                    counts[place].count += count
                } else {
                    counts.append((name, count))
                }
            }
        }
    }

    private var sums: [Key: Sum] = [:]

    /// Adds to a sum.
    ///
    /// If an action has too many sums, that of all other origins takes it.
    mutating func add(
        _ action: TrailAction, _ actor: TrailActor, _ counts: [(name: String, count: Int64)],
        at time: PostgresTimestamp
    ) {
        add(counts, to: Key(action: action, actor: actor), from: time, to: time)
    }

    /// Takes the sums whose time is over; all of them without a time.
    mutating func take(at time: PostgresTimestamp?) -> [TrailEntry] {
        var entries: [TrailEntry] = []
        for (key, sum) in sums {
            if let time, time.microsecondsSince2000 - sum.first.microsecondsSince2000 < key.action.period { continue }
            entries.append(
                TrailEntry(key.action, by: key.actor, at: sum.last, since: sum.first, sum.counts))
            sums[key] = nil
        }
        return entries.sorted { ($0.happenedAt, $0.actor.origin) < ($1.happenedAt, $1.actor.origin) }
    }

    /// Adds sums again that could not be written.
    mutating func giveBack(_ entries: [TrailEntry]) {
        for entry in entries {
            add(
                entry.counts, to: Key(action: entry.action, actor: entry.actor), from: entry.since ?? entry.happenedAt,
                to: entry.happenedAt)
        }
    }

    private mutating func add(
        _ counts: [(name: String, count: Int64)], to key: Key, from first: PostgresTimestamp,
        to last: PostgresTimestamp
    ) {
        var key = key
        if sums[key] == nil, sums.count(where: { $0.key.action == key.action }) >= Self.greatestCount {
            key = Key(
                action: key.action,
                actor: TrailActor(person: key.actor.person, session: nil, origin: Self.others))
        }
        var sum = sums[key] ?? Sum(first: first, last: last)
        sum.first = min(sum.first, first)
        sum.last = max(sum.last, last)
        sum.add(counts)
        sums[key] = sum
    }
}

extension TrailAction {
    /// How long a sum of it is added to, in microseconds.
    fileprivate var period: Int64 { self == .signing ? 600_000_000 : 60_000_000 }
}
