/// The result of one check.
struct EndpointFinding: Sendable, Equatable {
    /// How it went.
    enum State: String, Sendable {
        case ok
        /// Apple could deliver, but look at it.
        case note
        /// Apple could not deliver.
        case failed
    }

    let state: State
    /// What was checked, such as `certificate`.
    let check: String
    let text: String
    /// How to mend it; nil if nothing is wrong.
    let remedy: String?

    init(_ state: State, _ check: String, _ text: String, remedy: String? = nil) {
        self.state = state
        self.check = check
        self.text = text
        self.remedy = remedy
    }

    /// The lines for the user.
    var lines: [String] {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(1, width - text.count))
        }
        return ["\(padded(state.rawValue, 8))\(padded(check, 13))\(text)"]
            + (remedy.map { [padded("", 8) + padded("", 13) + "to mend it: \($0)"] } ?? [])
    }
}
