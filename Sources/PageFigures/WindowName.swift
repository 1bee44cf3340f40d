/// The names of conversion windows.
package enum WindowName {
    private static let names = ["0": "first window", "1": "second window", "2": "third window"]

    /// What people read in place of a sequence index, such as “first window”; the text itself if it is none.
    package static func text(_ index: String) -> String { names[index] ?? index }

    /// The same with Apple's number, such as “first window (0)”.
    package static func numbered(_ index: String) -> String { names[index].map { "\($0) (\(index))" } ?? index }
}

extension FigureColumn {
    /// The column of the window; the CSV has its sequence index.
    package static func window(isHeader: Bool = false) -> FigureColumn {
        FigureColumn(
            "sequence_index", "Window", isHeader: isHeader,
            text: { $0["sequence_index"].map(WindowName.numbered) })
    }
}
