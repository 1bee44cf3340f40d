/// A cell of a table.
///
/// Tables have most of the texts of a page. So cells write their HTML themselves: a template takes five times as long.
package struct TableCell: Sendable {
    let text: String
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

    /// A row of cells as HTML.
    static func row(_ cells: [TableCell]) -> String { "<tr>" + cells.map(\.html).joined() + "</tr>" }

    private var html: String {
        let escaping = PageEscaping()
        let shown = escaping.escapeText(text)
        let content = link.map { "<a href=\"\(escaping.escapeText($0))\">\(shown)</a>" } ?? shown
        let style = style.map { " class=\"\($0)\"" } ?? ""
        guard !isHeader else { return "<th scope=\"row\"\(style)>\(content)</th>" }
        let number = hiddenNumber.map { " data-value=\"\(escaping.escapeText($0))\"" } ?? ""
        return "<td\(style)\(number)>\(content)</td>"
    }

    /// How it is aligned and wrapped; other cells stay on one line.
    private var style: String? {
        let isShort = text.utf8.count <= Self.longestLine
        if isHeader, isShort, DayText.isDay(text.prefix(10)) { return "moment" }
        if exact != nil { return isHeader ? nil : "number" }
        return !isShort && text.contains(" ") ? "text" : nil
    }

    /// The exact number, if the text beside it is another one: one with commas is the same.
    private var hiddenNumber: String? {
        guard let exact, !text.utf8.lazy.filter({ $0 != UInt8(ascii: ",") }).elementsEqual(exact.utf8) else {
            return nil
        }
        return exact
    }
}
