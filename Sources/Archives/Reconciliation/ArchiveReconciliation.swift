package import AdAttribution
package import PostbackStore
package import PostgresClient

/// Compares an archive of the other side with the postbacks here.
///
/// Each line is verified as `import` does it. Nothing is counted, and no line goes into the quarantine: `reprocess`
/// would count it.
package struct ArchiveReconciliation: Sendable {
    private let store: PostbackStore
    private let connection: PostgresConnection
    private let verification: ArchiveVerification

    /// Makes a comparison with a store.
    ///
    /// - Parameter connection: A session of the same database for nothing but this comparison; close it afterwards.
    package init(
        store: PostbackStore, over connection: PostgresConnection, keyRing: KeyRing, linesOfPart: Int = 1_000
    ) {
        self.store = store
        self.connection = connection
        verification = ArchiveVerification(keyRing: keyRing, linesOfPart: linesOfPart)
    }

    /// Compares an archive; it can be done once.
    ///
    /// - Parameters:
    ///   - knowledge: Whose archive it is and the days that it covers, if it does not show them.
    ///   - report: Called after each part.
    ///   - refused: Called for each line that is no postback, or whose signature does not hold. Lines of networks and
    ///     apps
    ///     that the key ring does not have are left out: the other side has postbacks that are not ours.
    /// - Returns: The archive with its numbers of lines, and what was found out.
    /// - Throws: `ArchiveError`, `ReconciliationError`, or an error of the database. Then nothing is stored.
    package func run(
        _ path: String, knowing knowledge: ArchiveKnowledge, report: @Sendable (ArchiveStatus) -> Void,
        refused: @Sendable (RefusedArchiveLine) -> Void
    ) async throws -> (archive: OtherArchive, agreement: Agreement) {
        let file = try ArchiveFile(path)
        let reconciliation = try await Reconciliation(store, over: connection)
        var archive = OtherArchive(file: path, fingerprint: file.fingerprint, size: file.size)
        try await verification.read(file) { part in
            for (line, rejection) in part.refusals {
                if rejection.reason == .unknownNetwork {
                    archive.notOurs += 1
                } else {
                    archive.refused += 1
                    refused(RefusedArchiveLine(path: path, line: line.number, rejection: rejection))
                }
            }
            archive.refused += try await reconciliation.add(
                part.lines.map { OtherDelivery($0.postback, receivedAt: $0.receivedAt, line: $0.line.number) })
            archive.lines += Int64(part.part.lines.count)
            report(
                ArchiveStatus(
                    path: path, done: part.part.end, size: file.size, doneNow: part.part.end, linesNow: archive.lines))
        }
        return (archive, try await reconciliation.compare(archive, knowing: knowledge))
    }
}
