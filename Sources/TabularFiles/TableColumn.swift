/// The columns of a table: an enumeration whose raw values count from 0, in the order of the documents.
package protocol TableColumn: CaseIterable, RawRepresentable<Int>, Hashable, Sendable where AllCases == [Self] {
    /// The name in the header row of CSV, and of the member in NDJSON.
    var name: String { get }
    /// Whether each row has a value.
    var isRequired: Bool { get }
}

extension TableColumn {
    /// The column of a name, as the header row or a member has it.
    static func named(_ name: String) -> Self? { allCases.first { $0.name == name } }

    /// The names of all columns, for messages.
    static var names: String { allCases.map(\.name).joined(separator: ", ") }
}
