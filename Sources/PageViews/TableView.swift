import Mustache

/// A table.
package struct TableView: Sendable {
    let caption: String
    let headers: [TableHeader]
    let rows: [TableRow]
    let footer: [TableRow]
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
        self.rows = rows.map(TableRow.init)
        self.footer = footer.map(TableRow.init)
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

struct TableRow: Sendable, MustacheParent {
    let cells: [TableCell]

    // Tables are long, and reflection takes its time.
    func child(named name: String) -> Any? { name == "cells" ? cells : nil }
}

/// A cell.
package struct TableCell: Sendable, MustacheParent {
    private let text: String
    private let exact: String?
    private let link: String?
    private let isHeader: Bool

    /// The most bytes of a text that is never wrapped.
    private static let longestLine = 32

    /// Takes what is shown.
    ///
    /// - Parameters:
    ///   - exact: The number without rounding; nil if it is none.
    ///   - link: Where the text leads.
    ///   - isHeader: Whether it says what the row is about.
    package init(_ text: String, exact: String? = nil, link: String? = nil, isHeader: Bool = false) {
        self.text = text
        self.exact = exact
        self.link = link
        self.isHeader = isHeader
    }

    /// The exact number, if the text beside it is another one: one with commas is the same.
    private var hiddenNumber: String? {
        guard let exact, !text.utf8.lazy.filter({ $0 != UInt8(ascii: ",") }).elementsEqual(exact.utf8) else {
            return nil
        }
        return exact
    }

    package func child(named name: String) -> Any? {
        switch name {
        case "text": text
        // Never nil: the name would be looked for in the row and in the table.
        case "isNumber": exact != nil
        case "exact": hiddenNumber ?? false
        case "link": link ?? false
        case "isHeader": isHeader
        case "isMoment": isHeader && text.utf8.count <= Self.longestLine && DayText.isDay(text.prefix(10))
        // Other cells stay on one line.
        case "isText": exact == nil && text.utf8.count > Self.longestLine && text.contains(" ")
        default: nil
        }
    }
}
