import StrictJSON

/// Rows as lines of text with aligned columns.
///
/// The first rows decide how wide the columns are. A later value that is wider moves the rest of its line.
struct AlignedTable {
    private let names: [String]
    private let isRight: [Bool]
    private var widths: [Int]?

    /// A table with these names of columns.
    ///
    /// - Parameter isRight: For each column, whether its values end below each other, as numbers do.
    init(_ names: [String], isRight: [Bool]) {
        self.names = names
        self.isRight = isRight
    }

    /// The lines of some rows, each with its end; before the first rows also the names.
    mutating func text(_ rows: [[String?]]) -> String {
        var lines = rows.map { $0.map(Self.shown) }
        if widths == nil {
            lines.insert(names, at: 0)
            widths = names.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        }
        return lines.map(line).joined()
    }

    private func line(_ cells: [String]) -> String {
        var padded: [String] = []
        for (column, cell) in cells.enumerated() {
            let padding = String(repeating: " ", count: max(0, (widths?[column] ?? 0) - cell.count))
            padded.append(isRight[column] ? padding + cell : cell + padding)
        }
        var line = padded.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }

    /// A value without what a terminal would obey, since somebody else may have chosen it.
    private static func shown(_ cell: String?) -> String {
        guard let cell else { return "-" }
        return String(JSONText.quoted(cell).dropFirst().dropLast())
    }
}
