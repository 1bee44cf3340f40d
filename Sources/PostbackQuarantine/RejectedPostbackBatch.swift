import AdAttribution
import PostbackStore
import PostgresClient

/// Refused bodies, merged into one entry for each row, because one statement can change a row only once.
struct RejectedPostbackBatch: Sendable {
    /// The value and the size of a protected row in the database.
    struct Held: Sendable {
        let value: ReportedConversionValue
        let weight: Int64
    }

    private struct Row: Sendable {
        let place: QuarantinePlace
        let first: RejectedPostback
        let bodyDigest: [UInt8]
        var value: ReportedConversionValue
        var raise: RejectedPostback?
        var attempts: Int64 = 0
        var firstSeenAt: PostgresTimestamp
        var lastSeenAt: PostgresTimestamp
    }

    private let arrivals: [(place: QuarantinePlace, bodyDigest: [UInt8], rejected: RejectedPostback)]

    init(_ rejected: [RejectedPostback]) {
        arrivals = rejected.map { one in
            let digest = SHA256.digest(one.body)
            return (QuarantinePlace(one, bodyDigest: digest), digest, one)
        }
    }

    var isEmpty: Bool { arrivals.isEmpty }

    /// The keys of the protected rows that the batch adds or changes.
    var protectedKeys: Set<[UInt8]> { Set(arrivals.lazy.filter(\.place.isProtected).map(\.place.key)) }

    /// The rows after these bodies, applied in the order of arrival to the rows in the database.
    ///
    /// The first body of a row stays. A body that raises the value replaces the last one that raised it.
    private func rows(onTopOf held: [[UInt8]: Held]) -> [Row] {
        var rows: [[UInt8]: Row] = [:]
        for (place, digest, one) in arrivals {
            let offered = one.transaction?.offered ?? .none
            var row: Row
            if let known = rows[place.key] {
                row = known
            } else {
                row = Row(
                    place: place, first: one, bodyDigest: digest, value: held[place.key]?.value ?? offered,
                    firstSeenAt: one.receivedAt, lastSeenAt: one.receivedAt)
            }
            if RaiseRule.raises(row.value, by: offered) {
                row.value = offered
                row.raise = one
            }
            row.attempts += 1
            row.firstSeenAt = min(row.firstSeenAt, one.receivedAt)
            row.lastSeenAt = max(row.lastSeenAt, one.receivedAt)
            rows[place.key] = row
        }
        return Array(rows.values)
    }

    /// The parameters of `QuarantineStatements.insertOrCount`.
    func bindings(onTopOf held: [[UInt8]: Held]) -> PostgresBindings {
        let rows = rows(onTopOf: held)
        var bindings = PostgresBindings()
        bindings.append(byteas: rows.map(\.place.key))
        bindings.append(rows.map(\.place.isProtected))
        bindings.append(rows.map(\.place.rank))
        bindings.append(rows.map(\.first.rejection.reason.rawValue))
        bindings.append(rows.map(\.first.keptDetail))
        bindings.append(rows.map(\.first.rejection.field))
        bindings.append(rows.map(\.first.rejection.claims?.adNetworkID?.lowercased))
        bindings.append(rows.map(\.first.rejection.claims?.advertisedAppID?.value))
        bindings.append(rows.map(\.first.rejection.claims?.campaign?.type))
        bindings.append(rows.map(\.first.rejection.claims?.campaign?.text))
        bindings.append(rows.map(\.first.rejection.claims?.transactionID?.text))
        bindings.append(byteas: rows.map(\.bodyDigest))
        bindings.append(byteas: rows.map(\.first.body))
        bindings.append(byteas: rows.map(\.first.rejection.checkedMessage))
        bindings.append(rows.map(\.first.origin.address))
        bindings.append(rows.map(\.first.origin.userAgent))
        bindings.append(rows.map { row in row.value.fine.map { Int16($0.value) } })
        bindings.append(rows.map(\.value.coarse?.rawValue))
        bindings.append(byteas: rows.map(\.raise?.body))
        bindings.append(rows.map(\.raise?.receivedAt))
        bindings.append(rows.map(\.raise?.origin.address))
        bindings.append(rows.map(\.raise?.origin.userAgent))
        bindings.append(rows.map(\.attempts))
        bindings.append(rows.map(\.firstSeenAt))
        bindings.append(rows.map(\.lastSeenAt))
        return bindings
    }
}
