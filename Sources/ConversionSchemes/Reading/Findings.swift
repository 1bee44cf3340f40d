/// What is found while a file is read: the rules that it breaks, and what could not be carried over.
final class Findings {
    private(set) var errors: [SchemeError] = []
    private(set) var notes: [SchemeNote] = []
    private var known: Set<SchemeNote> = []

    func refuse(_ place: Place, _ rule: String, value: String? = nil) {
        errors.append(SchemeError(place, rule, value: value))
    }

    func note(_ place: Place, _ text: String) {
        note(place.path, text)
    }

    func note(_ place: String, _ text: String) {
        let note = SchemeNote(place: place, text: text)
        if known.insert(note).inserted { notes.append(note) }
    }

    /// - Throws: The errors, if there are any.
    func check() throws(SchemeErrors) {
        guard errors.isEmpty else { throw SchemeErrors(errors) }
    }
}
