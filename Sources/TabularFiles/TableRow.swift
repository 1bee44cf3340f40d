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

/// A row of a file: the text of each column.
package struct TableRow<Column: TableColumn>: Sendable, Equatable {
    /// The line on which the row begins, from 1.
    package let line: Int
    /// The texts by the number of the column; nil if the row has none.
    private(set) var texts: [String?]

    /// Starts a row without texts.
    init(line: Int) {
        self.line = line
        texts = Array(repeating: nil, count: Column.allCases.count)
    }

    /// The text of a column; nil if the file has no such column, or if it is empty there.
    package internal(set) subscript(_ column: Column) -> String? {
        get { texts[column.rawValue] }
        set { texts[column.rawValue] = newValue.flatMap { $0.isEmpty ? nil : $0 } }
    }
}
