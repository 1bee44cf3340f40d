package import AdAttribution
import PageViews
import TabularFiles

/// Which columns and rows of a table are shown, as the address has it.
package struct TableChoices: Sendable {
    /// The names of the parameters.
    package static let names = ["columns", "find"]

    /// The names of the columns that are shown beside the first one; empty for all.
    private let columns: [String]
    /// A text that a row must contain; nil for all rows.
    package let search: String?

    /// Shows everything.
    package init() {
        columns = []
        search = nil
    }

    /// Reads the parameters of an address.
    ///
    /// - Throws: The parameter that breaks its rule.
    package init(_ query: [(name: String, value: String)]) throws(FieldError) {
        columns =
            Self.joined(query).first { $0.name == "columns" }.map {
                $0.value.split(separator: ",").map(String.init)
            } ?? []
        search = query.first { $0.name == "find" }?.value
        if let search, FieldText.name(search) == nil {
            throw FieldError(field: "find", rule: "must be \(FieldText.nameRule)", value: search)
        }
    }

    /// The parameters of an address, those of the boxes that are ticked as one.
    package static func joined(_ query: [(name: String, value: String)]) -> [(name: String, value: String)] {
        let columns = query.filter { $0.name == "columns" }.map(\.value)
        let others = query.filter { $0.name != "columns" }
        return columns.isEmpty ? others : others + [("columns", columns.joined(separator: ","))]
    }

    /// The columns that are shown; the first one always is.
    func shown(_ all: [FigureColumn]) -> [FigureColumn] {
        guard !columns.isEmpty else { return all }
        return all.enumerated().filter { $0 == 0 || columns.contains($1.name) }.map(\.element)
    }

    /// Checks that a table has all of its columns.
    ///
    /// - Throws: The name that is none.
    package func check(_ all: [FigureColumn]) throws(FieldError) {
        guard let wrong = columns.first(where: { name in !all.contains { $0.name == name } }) else { return }
        throw FieldError(
            field: "columns", rule: "must be some of \(all.map(\.name).joined(separator: ", "))",
            value: wrong)
    }

    /// What is said if no row contains the text.
    var advice: String? {
        search.map { "No row contains “\($0)”. Find something else, or show all rows." }
    }

    /// The forms above the table.
    func tools(
        _ all: [FigureColumn], isLong: Bool, address: (_ changes: [(name: String, value: String?)]) -> String,
        hidden: (_ without: [String]) -> [Fact]
    ) -> TableTools {
        let isShown = Set(shown(all).map(\.name))
        return TableTools(
            action: String(address([]).prefix { $0 != "?" }),
            search: isLong || search != nil
                ? .init(
                    content: search ?? "", hidden: hidden(["find"]),
                    all: search.map { _ in address([("find", nil)]) }) : nil,
            columns: all.dropFirst().map { .init(name: $0.name, label: $0.label, isChosen: isShown.contains($0.name)) },
            hidden: hidden(["columns"]), all: columns.isEmpty ? nil : address([("columns", nil)]))
    }
}
