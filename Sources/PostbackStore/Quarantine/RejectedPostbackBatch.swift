import AdAttribution
import PostgresClient

/// Refused bodies folded by body and reason, so that one statement touches each row once.
struct RejectedPostbackBatch: Sendable {
    struct Key: Sendable, Hashable, Comparable {
        let digest: [UInt8]
        let reason: String
        let detail: String

        static func < (left: Key, right: Key) -> Bool {
            if left.digest != right.digest { return left.digest.lexicographicallyPrecedes(right.digest) }
            return (left.reason, left.detail) < (right.reason, right.detail)
        }
    }

    struct Entry: Sendable {
        let rejected: RejectedPostback
        var attempts: Int64
        var firstSeenAt: PostgresTimestamp
        var lastSeenAt: PostgresTimestamp
    }

    let entries: [(key: Key, value: Entry)]

    init(_ rejected: [RejectedPostback]) {
        var folded: [Key: Entry] = [:]
        for one in rejected {
            let key = Key(
                digest: SHA256.digest(one.body), reason: one.rejection.reason.rawValue,
                detail: String(one.rejection.detail.prefix(500)))
            var entry =
                folded[key]
                ?? Entry(rejected: one, attempts: 0, firstSeenAt: one.receivedAt, lastSeenAt: one.receivedAt)
            entry.attempts += 1
            entry.firstSeenAt = min(entry.firstSeenAt, one.receivedAt)
            entry.lastSeenAt = max(entry.lastSeenAt, one.receivedAt)
            folded[key] = entry
        }
        entries = folded.sorted { $0.key < $1.key }
    }

    /// The parameters of `QuarantineStatements.insertOrCount`.
    var bindings: PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(byteas: entries.map(\.key.digest))
        bindings.append(entries.map(\.key.reason))
        bindings.append(entries.map(\.key.detail))
        bindings.append(entries.map(\.value.rejected.rejection.field))
        bindings.append(byteas: entries.map(\.value.rejected.body))
        bindings.append(byteas: entries.map(\.value.rejected.rejection.checkedMessage))
        bindings.append(entries.map(\.value.rejected.isKnown))
        bindings.append(entries.map(\.value.attempts))
        bindings.append(entries.map(\.value.firstSeenAt))
        bindings.append(entries.map(\.value.lastSeenAt))
        return bindings
    }
}
