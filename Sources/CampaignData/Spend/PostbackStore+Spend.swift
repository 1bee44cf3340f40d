import AdAttribution
import Money
package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// Stores the rows of a spend file: all or none.
    ///
    /// What is stored for the days, networks and apps of the file is replaced as a whole. Rows that are stored with the
    /// same values stay as they are.
    ///
    /// - Parameters:
    ///   - check: What an earlier reading of the file found.
    ///   - source: Who loads it, and the file.
    ///   - ending: `.rollback` stores nothing, and only says what would be done.
    ///   - rows: Reads the file again, and passes on its rows in parts. It may be called more than once.
    /// - Throws: `ChangedFileError`; `ChangedLoad` if it was confirmed, and would do something else now; what `rows`
    ///   throws, or an error of the database.
    package func loadSpend(
        _ check: SpendFileCheck, from source: LoadSource, ending: LoadEnding = .commit,
        rows: @Sendable (_ part: ([SpendRow]) throws -> Void) throws -> Void
    ) async throws -> LoadOutcome {
        try await withLoad("load_spend", of: .spend, from: source, ending: ending) { connection, load in
            var count = 0
            try rows { part in
                guard part.allSatisfy({ check.scopes.contains($0.scope) }) else { throw ChangedFileError() }
                let parameters = SpendStatements.bindings(part, of: load)
                count += try connection.query(SpendStatements.note, parameters).affectedRows
            }
            guard count == check.rows else { throw ChangedFileError() }
            try LoadedTable.spend.apply(load, removingOthers: true, over: connection)
        }.outcome
    }

    /// Stores currency rates: all or none.
    ///
    /// A stored rate of the same currency and day is replaced.
    ///
    /// - Parameters:
    ///   - source: Who loads them, and the file.
    ///   - ending: `.rollback` stores nothing, and only says what would be done.
    /// - Throws: `ChangedLoad` if it was confirmed, and would do something else now.
    package func load(
        _ file: CurrencyRateFile, from source: LoadSource, ending: LoadEnding = .commit
    ) async throws -> LoadOutcome {
        var bindings = PostgresBindings()
        bindings.append(file.rates.map(\.day))
        bindings.append(file.rates.map(\.currency.text))
        bindings.append(file.rates.map(\.unitsPerUSD.millionths))
        return try await loadRows(
            "load_rates", of: .rates, SpendStatements.noteRates, bindings, from: source, ending: ending)
    }
}
