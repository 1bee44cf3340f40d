import ConversionSchemes
package import PostbackStore
import TabularFiles

/// What loading a file did, or would do.
package struct FileLoad: Sendable {
    /// In rows.
    package let outcome: LoadOutcome
    /// In words: what becomes of a scheme, and what is unusual about it; for tables, networks that nobody knows.
    package let remarks: [String]
}

/// What became of a file that somebody wants to be loaded.
package enum FileLoadAnswer: Sendable {
    /// It changes nothing, so nothing was stored.
    case unchanged(FileLoad)
    /// It would change or remove rows, which must be confirmed. Nothing was stored.
    case asks(FileLoad)
    /// It was stored.
    case stored(FileLoad)
}

extension PostbackStore {
    /// Loads a file: all of it or nothing.
    ///
    /// - Parameters:
    ///   - ending: `.rollback` stores nothing, and only says what would be done.
    ///   - keyRing: The networks of the key ring, without suffix.
    /// - Throws: `TableErrors`, `SchemeOverlap` or `SchemeInUse` if what is stored stands against it; `ChangedLoad` if it
    ///   was confirmed, and would do something else now; an error of the database.
    package func load(
        _ file: OperatorFile, from source: LoadSource, ending: LoadEnding, keyRing: Set<String>
    ) async throws -> FileLoad {
        // Asked before: afterwards spend has the networks of the file.
        let notices = try await networkNotices(file.networks, keyRing: keyRing)
        let outcome: LoadOutcome
        switch file {
        case .mapping(let names, let isReplacing):
            outcome = try await load(names, from: source, replacing: isReplacing, ending: ending)
        case .appNames(let names, let isReplacing):
            outcome = try await load(names, from: source, replacing: isReplacing, ending: ending)
        case .spend(let check, let bytes):
            outcome = try await loadSpend(check, from: source, ending: ending) { take in
                var rows: [SpendRow] = []
                try RecordReader<SpendRow>.read(bytes) { row, _ in rows.append(row) }
                if !rows.isEmpty { try take(rows) }
            }
        case .rates(let rates): outcome = try await load(rates, from: source, ending: ending)
        case .scheme(let scheme):
            let done = try await self.load([scheme], from: source, ending: ending)
            let remarks = done.schemes.map(\.text) + scheme.notices.map { "Notice: \($0)." }
            return FileLoad(outcome: done.outcome, remarks: remarks)
        }
        return FileLoad(outcome: outcome, remarks: notices)
    }

    /// Loads a file, or asks first.
    ///
    /// A file that only adds rows is loaded at once. One that would change or remove rows must be confirmed, and is loaded
    /// only if it would still do what was shown.
    ///
    /// - Parameters:
    ///   - shown: What was shown before; nil if nothing was.
    ///   - keyRing: The networks of the key ring, without suffix.
    /// - Throws: As `load`.
    package func loadOrAsk(
        _ file: OperatorFile, from source: LoadSource, shown: LoadConfirmation?, keyRing: Set<String>
    ) async throws -> FileLoadAnswer {
        // Who sends a load that changes nothing twice would take back one that did nothing.
        if let shown, !shown.changes.isEmpty {
            return .stored(try await load(file, from: source, ending: .commitIf(shown), keyRing: keyRing))
        }
        let trial = try await load(file, from: source, ending: .rollback, keyRing: keyRing)
        guard !trial.outcome.changes.isEmpty else { return .unchanged(trial) }
        guard !trial.outcome.changes.losesRows, let plan = trial.outcome.plan else { return .asks(trial) }
        return .stored(
            try await load(file, from: source, ending: .commitIf(plan.confirmation), keyRing: keyRing))
    }
}
