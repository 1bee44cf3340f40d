import AdAttribution
import PostgresClient
package import TabularFiles

/// What must be known of a spend file before it is loaded: which days it replaces, and that no row stands twice.
package struct SpendFileCheck: Sendable {
    /// The first 16 bytes of the SHA-256 of a key: a file may have millions of rows, whose keys would not fit.
    private struct Digest: Hashable {
        let first: UInt64
        let second: UInt64
    }

    /// The days, networks and apps of the file.
    package private(set) var scopes: Set<SpendScope> = []
    /// The number of rows.
    package private(set) var rows = 0
    private var lines: [Digest: Int] = [:]

    /// Starts without rows.
    package init() {}

    /// Reads a whole file.
    ///
    /// - Throws: `TableErrors`.
    package init(reading file: [UInt8]) throws {
        var check = SpendFileCheck()
        try RecordReader<SpendRow>.read(file) { try check.take($0, line: $1) }
        self = check
    }

    /// Takes the next row.
    ///
    /// - Throws: `TableError` if an earlier row has the same key.
    package mutating func take(_ row: SpendRow, line: Int) throws(TableError) {
        if let other = lines.updateValue(line, forKey: Self.digest(row)) {
            throw TableError(
                line: line, field: SpendRow.Column.day.name,
                rule: "line \(other) has the same day, network, app, campaign, ad group, creative and country")
        }
        scopes.insert(row.scope)
        rows += 1
    }

    /// The networks that the file names, without suffix.
    var networks: Set<String> { Set(scopes.map(\.network)) }

    private static func digest(_ row: SpendRow) -> Digest {
        // No name has control characters, so keys that differ give texts that differ.
        let key = [
            row.day.description, row.network.matchingForm, String(row.advertisedAppID.value), row.campaignID,
            row.adGroupID ?? "", row.creativeID ?? "", row.country?.text ?? "",
        ].joined(separator: "\u{1F}")
        let bytes = SHA256.digest(Array(key.utf8))
        func word(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return Digest(first: word(bytes.prefix(8)), second: word(bytes.dropFirst(8).prefix(8)))
    }
}

/// A file is not what it was when it was checked.
package struct ChangedFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error has no details.
    package init() {}

    /// The reason in words.
    package var description: String { "the file was changed while it was read" }
}
