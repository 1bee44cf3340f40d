import Mustache

/// A table.
package struct TableView: Sendable {
    let caption: String
    let headers: [TableHeader]
    /// Rows as HTML.
    let rows: [String]
    let footer: [String]
    let tools: TableTools?
    let isWide: Bool

    /// The number of columns from which a table is as wide as the window.
    private static let manyColumns = 8

    /// Takes what is shown.
    ///
    /// - Parameters:
    ///   - footer: Rows that stand for several, such as totals.
    ///   - tools: The forms above it.
    ///   - isWide: Whether it is as wide as the window, also if it has few columns.
    package init(
        caption: String, headers: [TableHeader], rows: [[TableCell]], footer: [[TableCell]] = [],
        tools: TableTools? = nil, isWide: Bool = false
    ) {
        self.caption = caption
        self.headers = headers
        self.rows = rows.map(TableCell.row)
        self.footer = footer.map(TableCell.row)
        self.tools = tools
        self.isWide = isWide || headers.count >= Self.manyColumns
    }
}

/// The head of a column.
package struct TableHeader: Sendable, ExpressibleByStringLiteral, MustacheParent {
    let label: String
    /// Its classes; a label of one word is never broken.
    let style: String?
    /// The address of the same table in another order.
    let sortAddress: String?
    /// `ascending`, `descending`, or nil.
    let order: String?

    /// Takes what is shown.
    ///
    /// - Parameter isDescending: The order of this column; nil if the table is not in its order.
    package init(_ label: String, isNumber: Bool = false, sortAddress: String? = nil, isDescending: Bool? = nil) {
        self.label = label
        let styles = (isNumber ? ["number"] : []) + (label.contains(" ") ? ["text"] : [])
        style = styles.isEmpty ? nil : styles.joined(separator: " ")
        self.sortAddress = sortAddress
        order = isDescending.map { $0 ? "descending" : "ascending" }
    }

    /// The head of a column of texts.
    package init(stringLiteral label: String) { self.init(label) }

    // As of a cell, none is nil.
    package func child(named name: String) -> Any? {
        switch name {
        case "label": label
        case "style": style ?? false
        case "sortAddress": sortAddress ?? false
        case "order": order ?? false
        default: nil
        }
    }
}
