import Mustache

/// The forms above a table: a search, and the choice of columns.
package struct TableTools: Sendable {
    /// A search in the rows of a table.
    package struct Search: Sendable {
        let content: String
        let hidden: [Fact]
        /// The address of all rows; nil if nothing is searched for.
        let all: String?

        /// Takes the text, the parameters that stay, and the address of all rows.
        package init(content: String, hidden: [Fact], all: String?) {
            self.content = content
            self.hidden = hidden
            self.all = all
        }
    }

    /// A column that can be left out.
    package struct Column: Sendable, MustacheParent {
        let name: String
        let label: String
        let isChosen: Bool

        /// Takes what is shown.
        package init(name: String, label: String, isChosen: Bool) {
            self.name = name
            self.label = label
            self.isChosen = isChosen
        }

        package func child(named name: String) -> Any? {
            switch name {
            case "name": self.name
            case "label": label
            case "isChosen": isChosen
            default: nil
            }
        }
    }

    let action: String
    let search: Search?
    let columns: [Column]
    let kept: [Fact]
    let allColumns: String?

    /// Takes the forms.
    ///
    /// - Parameters:
    ///   - action: The path of the screen.
    ///   - hidden: The parameters that stay if columns are chosen.
    ///   - all: The address of all columns; nil if all are shown.
    package init(action: String, search: Search?, columns: [Column], hidden: [Fact], all: String?) {
        self.action = action
        self.search = search
        self.columns = columns
        kept = hidden
        allColumns = all
    }
}
