import Destinations
import Forwarding
import PageViews

/// The buttons of the page of a destination.
struct DestinationForms {
    private let stored: StoredDestination
    private let status: DestinationStatus
    private let target: String
    private let csrf: String

    /// Takes what the buttons are about.
    ///
    /// - Parameters:
    ///   - target: The address that takes the forms.
    ///   - csrf: The token of the session.
    init(_ stored: StoredDestination, _ status: DestinationStatus, target: String, csrf: String) {
        (self.stored, self.status, self.target, self.csrf) = (stored, status, target, csrf)
    }

    /// Those that make sense now.
    var all: [FormView] {
        var forms = [stored.state == .active ? pause : resume]
        if status.dead > 0 {
            forms.append(
                form(
                    "retry-all", "Retry all dead letters",
                    "\(NumberText.decimal("\(status.dead)", places: 0)) are kept."))
        }
        forms.append(form("test", "Send a test", "One made-up postback, marked as such. It counts nowhere."))
        forms.append(form("remove", "Remove", "Asks first, and says what would be lost."))
        return forms
    }

    private var pause: FormView {
        FormView(
            id: "pause", hint: "New events wait until it is resumed; none is lost.", target: target, csrf: csrf,
            texts: [TextField(id: "reason", label: "Why (everybody sees it)")], buttons: [FormButton("Pause", "pause")])
    }

    private var resume: FormView { form("resume", "Resume", "Sends what has waited since then, in order.") }

    /// The form that asks once more.
    ///
    /// - Parameter plan: Tells the destination from others of the same name.
    func removal(plan: String) -> FormView {
        FormView(
            id: "confirm", heading: "Remove it?", hint: "This can't be taken back.", target: target, csrf: csrf,
            hidden: [Fact("plan", plan)],
            buttons: [FormButton("Remove \(stored.destination.name), with all of this", "remove")])
    }

    private func form(_ action: String, _ label: String, _ hint: String) -> FormView {
        FormView(id: action, hint: hint, target: target, csrf: csrf, buttons: [FormButton(label, action)])
    }
}
