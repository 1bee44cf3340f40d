import Destinations
import EventLog
package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// Stores what a sender has done, in one transaction: how its readers move, what failed, the statistics, and how the
    /// destination is doing.
    ///
    /// How it is doing is stored only while it has the file that it had when the lease was taken: what a receiver
    /// answered to an earlier one is not counted against the present one.
    ///
    /// If a replay reaches its end with it, its reader is removed.
    ///
    /// - Throws: `LeaseLost` if the lease is another server's: nothing was stored. `LogReaderError` if a reader was moved
    ///   or removed by somebody else. An error of the database; if the outcome of the commit is unknown, begin again
    ///   with what the database has.
    package func commitDeliveries(_ lease: Lease, _ progress: DeliveryProgress) async throws {
        let (leaseBindings, key) = (lease.bindings, Self.key(lease.name))
        let (live, replay) = (logReader(of: lease.name), logReader(ofReplay: lease.name))
        let steps = progress.steps(for: lease)
        try await pool.withTransaction("commit_deliveries") { connection in
            guard let row = try connection.query(LeaseStatements.hold, leaseBindings).first else {
                throw LeaseLost(name: lease.name)
            }
            if let move = progress.move { try live.advance(from: move.from, to: move.to, over: connection) }
            if let move = progress.replay {
                try replay.advance(from: move.from, to: move.to, over: connection)
                let end = try row.decode(String?.self, at: 0).flatMap { LogCursor($0) }
                if end.map(move.to.contains) ?? true {
                    _ = try replay.remove(over: connection)
                    _ = try connection.query(DestinationStatements.endReplay, key)
                }
            }
            try connection.pipeline(steps)
        }
    }
}

extension DeliveryProgress {
    /// The statements that store it, but for the readers.
    fileprivate func steps(for lease: Lease) -> [PostgresPipelineStep] {
        let key = PostbackStore.key(lease.name)
        var steps: [PostgresPipelineStep] = []
        // In one order, so that two transactions don't wait for each other.
        let sorted = rows.sorted { $0.key < $1.key }
        let failed = sorted.compactMap(\.value)
        let delivered = sorted.filter { $0.value == nil }.map(\.key)
        if !failed.isEmpty {
            var bindings = key
            bindings.append(failed)
            bindings.append(lease.loadedAt)
            steps.append(PostgresPipelineStep(DeliveryStatements.store, bindings))
        }
        if !delivered.isEmpty {
            var bindings = key
            bindings.append(delivered)
            steps.append(PostgresPipelineStep(DeliveryStatements.remove, bindings))
        }
        if !statistics.isEmpty { steps += statistics.steps(key) }
        var note = key
        note.append(Int64(failures))
        note.append(statistics.sent + statistics.replayed > 0)
        note.append(isBreakerOpen)
        note.append(problem.flatMap(PostbackStore.shown))
        note.append(offReason.flatMap(PostbackStore.shown))
        note.append(lease.loadedAt)
        steps.append(PostgresPipelineStep(DeliveryStatements.note, note))
        return steps
    }
}

extension DeliveryStatistics {
    fileprivate func steps(_ key: PostgresBindings) -> [PostgresPipelineStep] {
        var day = key
        day.append(sent)
        day.append(retried)
        day.append(failed)
        day.append(dead)
        day.append(latencies)
        day.append(replayed)
        var minute = key
        minute.append(sent)
        minute.append(failed)
        minute.append(dead)
        return [
            PostgresPipelineStep(DeliveryStatements.addDay, day),
            PostgresPipelineStep(DeliveryStatements.addMinute, minute),
            PostgresPipelineStep(DeliveryStatements.removeMinutes, key),
        ]
    }
}

extension PostgresBindings {
    /// The greatest number of bytes of an answer that are kept.
    private static let answerSize = 2_048

    /// Appends the columns of failed deliveries.
    fileprivate mutating func append(_ rows: [FailedDelivery]) {
        append(rows.map(\.key))
        append(rows.map(\.transactionID))
        append(rows.map(\.kind.rawValue))
        append(rows.map { PostgresTimestamp(microsecondsSince1970: $0.receivedAt) })
        append(rows.map { Int32(clamping: $0.attempt) })
        append(rows.map { row in row.wait.map { Int64($0 / .milliseconds(1)) } })
        append(rows.map { row in row.status.flatMap { (100...999).contains($0) ? Int16($0) : nil } })
        append(rows.map { row in row.error.flatMap(PostbackStore.shown) })
        append(byteas: rows.map { [UInt8]($0.answer.prefix(Self.answerSize)) })
        append(rows.map(\.isSendable))
        append(rows.map(\.request.method.rawValue))
        append(rows.map(\.request.url))
        append(rows.map(\.request.headerLines))
        append(byteas: rows.map(\.request.body))
        append(rows.map(\.request.webhookID))
        append(rows.map { $0.request.signing.map(\.description).joined(separator: " ") })
        append(rows.map(\.isReplay))
    }
}
