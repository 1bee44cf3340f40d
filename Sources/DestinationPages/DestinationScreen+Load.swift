import AdAttribution
import AdminAPI
import AuditTrail
import CampaignData
import Destinations
import Encodings
import Forwarding
import Hummingbird
import PageForms
import PageRequests
import PageViews
import PostbackStore

/// Checking and loading a destination.
extension DestinationScreen {
    /// Answers the form that loads.
    ///
    /// - Throws: `Problem` if the form is another one.
    func load(_ request: PageRequest, _ fields: PageForm) async throws -> Response {
        var form = OperatorForm(fields)
        switch form.action {
        case "check":
            let done = try await form.reading(Self.field) { try await check($0, request) }
            return try await list(request, form, done: done)
        case "load":
            let (shown, actor) = (form.field("plan"), request.actor)
            var present: StoredDestination?
            let done = try await form.reading(Self.field) { file in
                let change = try await store.loadDestination(file, by: actor.description, dryRun: true)
                let name = try Destination(document: file).name
                if change == .changed, let stored = try await readable(name), shown != Self.digest(stored) {
                    present = stored
                    return []
                }
                return try await loading(file, by: actor)
            }
            guard let present, let sent = SentFile(fields, Self.field) else {
                return try await list(request, form, done: done)
            }
            if !shown.isEmpty {
                form.refuse("Nothing was loaded: the stored destination has changed meanwhile.", field: Self.field)
            }
            return responses.html(question(request, form, present, sent))
        default: throw Problem(.invalidBody, field: "do", rule: "must be check or load")
        }
    }

    /// Says what loading would do.
    private func check(_ file: [UInt8], _ request: PageRequest) async throws -> [String] {
        let destination = try Destination(document: file)
        let name = destination.name
        let change = try await store.loadDestination(file, by: request.actor.description, dryRun: true)
        let would =
            switch change {
            case .added: "“Load” would add the destination \(name)."
            case .changed: "“Load” would change the destination \(name), and shows both files first."
            case .unchanged: "The destination \(name) is as the file says, so “Load” would do nothing."
            }
        return ["Good: nothing is wrong with the file. " + would] + missing(destination).map { "Notice: \($0)." }
    }

    /// Loads a file, and notes who did it.
    private func loading(_ file: [UInt8], by actor: TrailActor) async throws -> [String] {
        let destination = try Destination(document: file)
        let change = try await store.loadDestination(file, by: actor.description, dryRun: false)
        guard change != .unchanged else { return ["Nothing was loaded: the destination is as the file says."] }
        await trail.note(.destinationLoad, of: "\(destination.name)", by: actor)
        let said = change == .added ? "added" : "changed"
        return ["Loaded: the destination \(destination.name) was \(said)."]
            + missing(destination).map { "Notice: \($0)." }
    }

    /// Why secrets that a destination names can't be used by this server, a sentence for each.
    func missing(_ destination: Destination) -> [String] {
        destination.secrets.compactMap { name -> String? in
            do {
                _ = try secrets.secrets([name])
                return nil
            } catch {
                return "\(error)"
            }
        }
    }

    /// Tells a stored document from others.
    static func digest(_ stored: StoredDestination) -> String {
        Hexadecimal.text(SHA256.digest(Array(stored.document.utf8)))
    }

    /// The page that shows both documents before one takes the place of the other.
    private func question(
        _ request: PageRequest, _ form: OperatorForm, _ present: StoredDestination, _ file: SentFile
    ) -> ReportView {
        let target = request.address(keeping: place.path)
        let name = present.destination.name
        let confirm = FormView(
            id: "confirm", heading: "Load it?",
            hint: "If the stored destination changes before you press, nothing is loaded, and the page asks again.",
            target: target, csrf: request.session.formToken,
            hidden: file.fields(Self.field) + [Fact("plan", Self.digest(present))],
            buttons: [FormButton("Load: change \(name)", "load")])
        return ReportView(
            request.frame("Change the destination?", errors: form.errors),
            introduction:
                "Nothing is loaded yet. This file would take the place of the one of \(name). Deliveries that wait, and dead "
                + "letters, keep the requests that they were made with.",
            tabs: [PageLink("Back, load nothing", target)],
            blocks: [
                TextBlock(
                    id: "now", heading: "Now",
                    note: "Loaded at \(present.loadedAt.shown) UTC by \(present.loadedBy).", text: present.document),
                TextBlock(id: "then", heading: "Then", text: file.text),
            ], forms: [confirm, loadForm(request, form)])
    }
}
