import AdAttribution
import PostgresClient
package import TabularFiles

/// The rows of a mapping file, among which no two could tie.
package struct CampaignMappingFile: Sendable {
    /// A row and its place in the file.
    package struct Entry: Sendable, Equatable {
        /// The row.
        package let mapping: CampaignMapping
        /// The line on which it begins, from 1.
        package let line: Int

        /// Takes a row and its line.
        package init(_ mapping: CampaignMapping, line: Int) {
            self.mapping = mapping
            self.line = line
        }
    }

    /// The rows, in the order of the file.
    package let entries: [Entry]

    /// Checks rows against each other.
    ///
    /// - Throws: `TableErrors`, if two rows have the same conditions and the same first day, or days that overlap.
    package init(_ entries: [Entry]) throws(TableErrors) {
        var errors: [TableError] = []
        for same in Dictionary(grouping: entries, by: \.mapping.conditions.key).values where same.count > 1 {
            let inOrder = same.sorted {
                ($0.mapping.validFrom, $0.line) < ($1.mapping.validFrom, $1.line)
            }
            for (earlier, later) in zip(inOrder, inOrder.dropFirst()) {
                if let error = Self.tie(earlier, later) { errors.append(error) }
            }
        }
        guard errors.isEmpty else { throw TableErrors(errors) }
        self.entries = entries
    }

    /// Reads a whole file.
    ///
    /// - Throws: `TableErrors`.
    package init(reading file: [UInt8]) throws {
        var entries: [Entry] = []
        try RecordReader<CampaignMapping>.read(file) { entries.append(Entry($0, line: $1)) }
        try self.init(entries)
    }

    /// What is wrong with two rows of the same conditions, of which the second does not begin earlier.
    ///
    /// A row without a last day ends when the next one begins, so it ties with none.
    private static func tie(_ earlier: Entry, _ later: Entry) -> TableError? {
        let line = max(earlier.line, later.line)
        let other = min(earlier.line, later.line)
        if earlier.mapping.validFrom == later.mapping.validFrom {
            return TableError(
                line: line, field: CampaignMapping.Column.validFrom.name,
                rule: "line \(other) has the same conditions and the same first day")
        }
        guard let end = earlier.mapping.validTo, end >= later.mapping.validFrom else { return nil }
        return TableError(
            line: line, field: CampaignMapping.Column.validFrom.name,
            rule:
                "line \(other) has the same conditions, and its days overlap with these; one of the two must end first")
    }

    /// The networks that the file names, without suffix.
    package var networks: Set<String> { Set(entries.map(\.mapping.conditions.network.matchingForm)) }
}
