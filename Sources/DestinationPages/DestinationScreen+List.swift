import Access
import Destinations
import Forwarding
import Hummingbird
import PageForms
import PageRequests
import PageViews
import PostbackStore

/// The list of destinations.
extension DestinationScreen {
    /// The parameter that fills the form with a preset.
    private static let preset = "preset"

    /// Shows the list, with a form that loads one.
    func list(_ request: PageRequest, _ form: OperatorForm, done: [String] = []) async throws -> Response {
        var errors = form.errors
        var template: String?
        if let text = request[Self.preset] {
            template = DestinationPreset(rawValue: text).flatMap { preset in
                DestinationName(preset.rawValue).map { preset.document(name: $0) }
            }
            if template == nil {
                let names = DestinationPreset.allCases.map(\.rawValue).joined(separator: ", ")
                errors.append(PageError("“preset” must be one of \(names)."))
            }
        }
        let presets = DestinationPreset.allCases.map { preset in
            PageLink(
                "Begin with \(preset.rawValue)",
                request.address(keeping: place.path, [(Self.preset, preset.rawValue)]),
                isCurrent: request[Self.preset] == preset.rawValue)
        }
        let view = ReportView(
            request.frame(place.name, errors: errors),
            introduction:
                "Receivers of postbacks, such as measurement partners. Each postback that was counted is sent to them, "
                + "again and again, until they have taken it.",
            tabs: request.may(.operate) ? presets : [], notices: done,
            figures: [figure(request, try await store.destinationStatuses())],
            forms: [loadForm(request, form, template: template)], sent: form.sent)
        return responses.html(view)
    }

    private func figure(_ request: PageRequest, _ statuses: [DestinationStatus]) -> FigureView {
        let numbers = [
            "Lag", "Sent a second now", "Waiting", "Sent in 24 h", "Failed attempts in 24 h", "Dead in 24 h",
            "Dead letters",
        ].map { TableHeader($0, isNumber: true) }
        return FigureView(
            id: "destinations", heading: "Destinations",
            remark: statuses.isEmpty
                ? nil
                : "The lag is the age of the oldest event that was not sent yet. “Now” is the last minute or two. What "
                    + "waits failed, and is tried again; dead letters are not.",
            headers: ["Name", "State"] + numbers,
            rows: statuses.map { status -> [TableCell] in
                let counts = [status.waiting, status.sentDay, status.failedDay, status.deadDay, status.dead]
                return [
                    TableCell("\(status.name)", link: address(request, of: status.name), isHeader: true),
                    TableCell(status.stateText), TableCell.seconds(status.lagSeconds),
                    TableCell.rate(status.sentPerSecond),
                ] + counts.map { TableCell.count($0) }
            },
            advice:
                "No destination is loaded, so postbacks are not forwarded. Forwarding sends each postback that was counted to a "
                + "receiver, such as a measurement partner: byte for byte as Apple signed it, or with members of yours. To "
                + "begin, somebody with the scope operate chooses a preset above, writes what \(DestinationPreset.placeholder) "
                + "stands for, and presses “Check”. Secrets that the file names are files in the folder “secrets” of the key "
                + "ring. docs/forwarding.md says more.")
    }

    /// The form that checks and loads a destination.
    ///
    /// - Parameter template: A file to begin with, if nothing was sent.
    func loadForm(_ request: PageRequest, _ form: OperatorForm, template: String? = nil) -> FormView {
        let text = form.text(Self.field)
        return FormView(
            id: "load", heading: "Load a destination",
            hint:
                "JSON as docs/forwarding.md describes it. A new destination sends what is counted from then on. If a stored "
                + "one would be changed, that is shown first. Secrets are named in the file, and never written into it.",
            target: request.address(keeping: place.path), csrf: request.session.formToken,
            files: [
                TextField(id: Self.field, label: "destination file", content: text.isEmpty ? template ?? "" : text)
            ],
            buttons: [FormButton("Check", "check"), FormButton("Load", "load")])
    }

    /// The name of the field with a file.
    static let field = "destination"
}
