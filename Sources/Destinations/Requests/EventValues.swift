import StrictJSON

/// Why an event can't become a request of a destination.
package struct UnsendableEvent: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, a clause of its own, without any secret.
    package let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    package var description: String { reason }
}

/// The values of one event, for a destination that says what happens to those that are missing.
struct EventValues {
    let event: ForwardedEvent
    let missing: MissingValue

    /// The value of a macro; nil if it is missing, and that is allowed.
    private func value(of macro: Macro) throws(UnsendableEvent) -> MacroValue? {
        if let value = macro.value(of: event) { return value }
        guard missing == .empty else { throw UnsendableEvent("{\(macro.rawValue)} has no value for this event") }
        return nil
    }

    /// The value of a macro as text.
    func text(of macro: Macro) throws(UnsendableEvent) -> String {
        try value(of: macro)?.text ?? ""
    }

    /// The value of a macro as JSON without quotes.
    func bareJSON(of macro: Macro) throws(UnsendableEvent) -> String {
        guard let value = try value(of: macro) else { return "null" }
        guard let json = value.bareJSON else {
            throw UnsendableEvent("{\(macro.rawValue)} must be a number, and is \(JSONText.shown(value.text))")
        }
        return json
    }
}
