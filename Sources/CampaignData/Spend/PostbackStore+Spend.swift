import AdAttribution
import Money
package import PostbackStore
package import PostgresClient

/// What loading a spend file did, in rows.
package struct SpendLoad: Sendable, Equatable {
    /// Rows of the file.
    package var loaded = 0
    /// Stored rows of the same days, networks and apps, which were replaced.
    package var replaced = 0
}

extension PostbackStore {
    /// Stores the rows of a spend file: all or none.
    ///
    /// What is stored for the days, networks and apps of the file is replaced as a whole.
    ///
    /// - Parameters:
    ///   - check: What an earlier reading of the file found.
    ///   - file: The name of the file, for people.
    ///   - ending: `.rollback` stores nothing, and only says what would be done.
    ///   - rows: Reads the file again, and passes on its rows in parts. It may be called more than once.
    /// - Throws: `ChangedFileError`, what `rows` throws, or an error of the database.
    package func loadSpend(
        _ check: SpendFileCheck, file: String, ending: PostgresConnection.Ending = .commit,
        rows: @Sendable (_ part: ([SpendRow]) throws -> Void) throws -> Void
    ) async throws -> SpendLoad {
        let scopes = Array(check.scopes)
        var bindings = PostgresBindings()
        bindings.append(scopes.map(\.day))
        bindings.append(scopes.map(\.network))
        bindings.append(scopes.map(\.advertisedAppID.value))
        let (replaced, time) = (bindings, clock())
        return try await pool.withTransaction("load_spend", ending: ending) { connection in
            _ = try connection.query(SpendStatements.lock)
            var load = SpendLoad()
            load.replaced = try connection.query(SpendStatements.remove, replaced).affectedRows
            try rows { part in
                guard part.allSatisfy({ check.scopes.contains($0.scope) }) else { throw ChangedFileError() }
                let parameters = SpendStatements.bindings(part, file: file, at: time)
                load.loaded += try connection.query(SpendStatements.insert, parameters).affectedRows
            }
            guard load.loaded == check.rows else { throw ChangedFileError() }
            return load
        }
    }

    /// Stores currency rates: all or none.
    ///
    /// A stored rate of the same currency and day is replaced.
    ///
    /// - Parameter ending: `.rollback` stores nothing, and only says what would be done.
    package func load(
        _ file: CurrencyRateFile, ending: PostgresConnection.Ending = .commit
    ) async throws -> RowChanges {
        var bindings = PostgresBindings()
        bindings.append(file.rates.map(\.day))
        bindings.append(file.rates.map(\.currency.text))
        bindings.append(file.rates.map(\.unitsPerUSD.millionths))
        bindings.append(clock())
        let parameters = bindings
        return try await pool.withTransaction("load_rates", ending: ending) { connection in
            _ = try connection.query(SpendStatements.lock)
            return try RowChanges(
                of: file.rates.count, written: connection.query(SpendStatements.upsertRates, parameters))
        }
    }
}
