package import AdAttribution
package import ConversionSchemes
import ECDSA
import Money
package import PostbackStore
package import PostgresClient

extension PostbackStore {
    /// Loads schemes in one transaction: all or none.
    ///
    /// One transaction at a time loads schemes, so two operators at once see each other's. A scheme whose file is
    /// stored already changes nothing.
    ///
    /// - Parameters:
    ///   - schemes: In any order; an open one is closed by its successor.
    ///   - source: Who loads them, and the files.
    ///   - ending: `.rollback` stores nothing, and only says what would be done.
    /// - Returns: What was done, in rows, and by schemes in the order of apps and validities.
    /// - Throws: `SchemeOverlap`; `SchemeInUse` if a file would edit a scheme in use; `ChangedLoad` if it was confirmed,
    ///   and would do something else now; an error of the database.
    package func load(
        _ schemes: [ConversionScheme], from source: LoadSource, ending: LoadEnding = .commit
    ) async throws -> (outcome: LoadOutcome, schemes: [SchemeOutcome]) {
        let sorted = schemes.sorted {
            ($0.appID.value, $0.validity.from) < ($1.appID.value, $1.validity.from)
        }
        let time = clock()
        let apps = Set(schemes.map(\.appID.value)).sorted()
        let load = try await withLoad("load_schemes", of: .scheme, from: source, ending: ending) { connection, load in
            // What is stored is noted before it is changed, and read again when all is done.
            var noted = load.binding
            noted.append(apps)
            _ = try connection.query(SchemeStatements.note, noted)
            let outcomes = try Self.write(sorted, time, over: connection)
            noted.append(Int64(outcomes.count { $0.change == .unchanged }))
            _ = try connection.query(SchemeStatements.noteWritten, noted)
            return outcomes
        }
        return (load.outcome, load.value)
    }

    private static func write(
        _ sorted: [ConversionScheme], _ time: PostgresTimestamp, over connection: isolated PostgresConnection
    ) throws -> [SchemeOutcome] {
        var outcomes: [SchemeOutcome] = []
        for (index, scheme) in sorted.enumerated() {
            // The rows are read again for each scheme, so the one before it is among them.
            var history = try Self.history(of: scheme.appID, over: connection)
            let file = scheme.file
            let digest = SHA256.digest(file)
            let change = try history.add(scheme, digest: digest)
            switch change {
            case .unchanged: break
            case .added(let validity, let closes):
                if let closes { try Self.close(closes, before: scheme, over: connection) }
                try Self.insert(scheme, file, digest, validity, time, over: connection)
            case .replaced(let validity):
                if sorted[..<index].contains(where: { $0.isReplaced(by: scheme) }) {
                    throw SchemeOverlap(twice: scheme)
                }
                let key = SchemeStatements.key(scheme)
                let isInUse = try connection.query(SchemeStatements.isInUse, key).first?.decode(Bool.self, at: 0)
                guard isInUse == false else {
                    throw SchemeInUse(appID: scheme.appID, validFrom: scheme.validity.from)
                }
                _ = try connection.query(SchemeStatements.removeMeanings, key)
                _ = try connection.query(SchemeStatements.remove, key)
                try Self.insert(scheme, file, digest, validity, time, over: connection)
            }
            outcomes.append(SchemeOutcome(scheme: scheme, change: change))
        }
        return outcomes
    }

    /// All schemes, by app and validity.
    package func schemes() async throws -> [StoredScheme] {
        try await pool.withConnection { connection in
            try connection.query(SchemeStatements.list).map(StoredScheme.init)
        }
    }

    /// The scheme of an app that is valid at a time, with the end that a successor has given it; nil if there is none.
    package func scheme(of app: AppID, at time: PostgresTimestamp) async throws -> ConversionScheme? {
        var bindings = PostgresBindings()
        bindings.append(app.value)
        bindings.append(time)
        let parameters = bindings
        return try await pool.withConnection { connection in
            guard let row = try connection.query(SchemeStatements.select, parameters).first else { return nil }
            var columns = ColumnCursor(row)
            let document: String = try columns.next()
            let validity = try Validity(&columns)
            return try SchemeFile.read(Array(document.utf8)).closed(at: validity)
        }
    }

    private static func history(
        of app: AppID, over connection: isolated PostgresConnection
    ) throws -> SchemeHistory {
        var bindings = PostgresBindings()
        bindings.append(app.value)
        return SchemeHistory(
            try connection.query(SchemeStatements.history, bindings).map { row in
                var columns = ColumnCursor(row)
                return SchemeHistory.Entry(validity: try Validity(&columns), digest: try columns.next())
            })
    }

    private static func close(
        _ from: SchemeTime, before scheme: ConversionScheme, over connection: isolated PostgresConnection
    ) throws {
        var bindings = PostgresBindings()
        bindings.append(scheme.appID.value)
        bindings.append(PostgresTimestamp(from))
        bindings.append(PostgresTimestamp(scheme.validity.from))
        guard try connection.query(SchemeStatements.close, bindings).count == 1 else {
            throw StoredValueError(table: "conversion_scheme")
        }
    }

    private static func insert(
        _ scheme: ConversionScheme, _ file: [UInt8], _ digest: [UInt8], _ validity: Validity,
        _ time: PostgresTimestamp, over connection: isolated PostgresConnection
    ) throws {
        var bindings = SchemeStatements.key(scheme)
        bindings.append(validity.to.map { PostgresTimestamp($0) })
        bindings.append(scheme.name.text)
        bindings.append(scheme.currency?.text)
        bindings.append(scheme.measurementWindowHours.map { Int16(clamping: $0) })
        bindings.append(json: file)
        bindings.append(bytea: digest)
        bindings.append(time)
        _ = try connection.query(SchemeStatements.insert, bindings)
        try insertMeanings(of: scheme, over: connection)
    }

    /// Adds the rows of a stored scheme's meanings.
    static func insertMeanings(
        of scheme: ConversionScheme, over connection: isolated PostgresConnection
    ) throws {
        let rows = scheme.rows
        guard !rows.isEmpty else { return }
        var meanings = SchemeStatements.key(scheme)
        meanings.append(rows.map { Int16($0.sequenceIndex) })
        meanings.append(rows.map { $0.value.fine.map { Int16($0.value) } })
        meanings.append(rows.map { $0.value.coarse?.rawValue })
        meanings.append(rows.map { $0.event?.text })
        meanings.append(rows.map(\.revenueLow.text))
        meanings.append(rows.map { $0.revenueHigh?.text })
        meanings.append(rows.map(\.countLow))
        meanings.append(rows.map(\.countHigh))
        meanings.append(rows.map { $0.hours.map { Int16(clamping: $0.low) } })
        meanings.append(rows.map { $0.hours.map { Int16(clamping: $0.high) } })
        meanings.append(rows.map { $0.lock == .certain })
        meanings.append(rows.map { $0.lock == .possible })
        meanings.append(rows.map(\.isAlternative))
        _ = try connection.query(SchemeStatements.insertMeanings, meanings)
    }
}

extension ConversionScheme {
    /// Whether another scheme says what this validity means.
    fileprivate func isReplaced(by other: ConversionScheme) -> Bool {
        appID == other.appID && validity.from == other.validity.from
    }
}
