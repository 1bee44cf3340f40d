/// What is found while a document is read: the rules that it breaks, and what is to be known about it.
package final class DocumentFindings {
    /// The rules that it breaks, in the order in which they were found.
    package private(set) var problems: [DocumentProblem] = []
    /// The notes, each once.
    package private(set) var notes: [DocumentNote] = []
    private var known: Set<DocumentNote> = []

    /// Begins without any.
    package init() {}

    /// Adds a rule that a value breaks.
    package func refuse(_ place: DocumentPlace, _ rule: String, value: String? = nil) {
        problems.append(DocumentProblem(place, rule, value: value))
    }

    /// Adds a note.
    package func note(_ place: DocumentPlace, _ text: String) {
        let note = DocumentNote(place: place.path, text: text)
        if known.insert(note).inserted { notes.append(note) }
    }
}
