import Access
import AdAttribution
import AdminAPI
import CampaignData
import ConversionSchemes
import Foundation
import Hummingbird
import Money
import PageForms
import PageRequests
import PageViews
import PostbackStore
import PostgresClient

/// *Schemes*: what conversion values mean; see, check and load.
struct SchemeScreen: PageScreen {
    let place = ScreenPlace(path: "/schemes", name: "Schemes", hasItems: true, hasForms: true, changing: .load)
    let store: PostbackStore
    let responses: PageResponses

    func show(_ request: PageRequest) async throws -> Response {
        guard let item = request.item else { return try await page(request, OperatorForm(request.draft), done: []) }
        // APP/TIME
        let parts = item.split(separator: "/")
        guard parts.count == 2, let app = Int64(parts[0]).flatMap(AppID.init),
            let time = parts[1].removingPercentEncoding.flatMap({ SchemeTime(timeOrDay: $0) }),
            let scheme = try await store.scheme(of: app, at: PostgresTimestamp(time))
        else { throw Problem.notFound }
        let view = ReportView(
            request.frame("Scheme of app \(app.value)"),
            introduction: "Valid \(Self.shown(scheme.validity)), as a file.",
            notices: scheme.notices.map { "Notice: \($0)." },
            blocks: [
                TextBlock(id: "file", heading: scheme.name.text, text: String(decoding: scheme.file, as: UTF8.self))
            ])
        return responses.html(view)
    }

    func submit(_ request: PageRequest, _ form: PageForm) async throws -> Response {
        guard request.item == nil else { throw Problem.notFound }
        var form = OperatorForm(form)
        let done: [String]
        switch form.action {
        case "check":
            done = try await form.reading("scheme") { file in
                let scheme = try SchemeFile.read(file)
                let load = try await store.load([scheme], from: .checked(by: request.actor), ending: .rollback)
                let said = load.schemes.map(\.text)
                let good = "Good: app \(scheme.appID.value), \(scheme.name.text), valid \(scheme.validity.shown)."
                return [good] + said.map { "“Load” would say: \($0)." } + scheme.notices.map { "Notice: \($0)." }
            }
        case "load":
            switch try await form.loading("scheme", .scheme, into: store, by: request.actor) {
            case .done(let said): done = said
            case .asks(let question):
                return responses.html(
                    question.view(
                        request, place, "Load the scheme?", field: "scheme", action: "load", errors: form.errors,
                        form: loadForm(request, form)))
            }
        case "take-back": done = try await form.takingBack([.scheme], of: store, by: request.actor)
        default: throw Problem(.invalidBody, field: "do", rule: "must be check, load or take-back")
        }
        return try await page(request, form, done: done)
    }

    /// A validity as people read it, such as `from 2026-10-01 00:00:00 UTC on`.
    private static func shown(_ validity: Validity) -> String {
        let from = "from \(DayText.moment(validity.from.text)) UTC"
        return validity.to.map { "\(from) to \(DayText.moment($0.text)) UTC" } ?? from + " on"
    }

    private func loadForm(_ request: PageRequest, _ form: OperatorForm) -> FormView {
        FormView(
            id: "load", heading: "Load a scheme",
            hint: "JSON as docs/schemes.md describes it. If a stored scheme would be replaced or closed, that is shown "
                + "first. “PostbackServer scheme import” makes it from other formats.",
            target: request.address(keeping: place.path), csrf: request.session.formToken,
            files: [TextField(id: "scheme", label: "scheme file", content: form.text("scheme"))],
            buttons: [FormButton("Check", "check"), FormButton("Load", "load")])
    }

    private func page(_ request: PageRequest, _ form: OperatorForm, done: [String]) async throws -> Response {
        let schemes = try await store.schemes()
        let history = try await LoadHistory([.scheme], of: store)
        let view = ReportView(
            request.frame(place.name, errors: form.errors),
            introduction:
                "What the conversion values of an app mean during one validity. A scheme in use can't be edited, "
                + "only followed by another one.",
            notices: done,
            figures: [
                FigureView(
                    id: "schemes", heading: "Schemes",
                    headers: ["App", "Valid from (UTC)", "Valid to (UTC)", "Currency", "State", "Name"],
                    rows: schemes.map { scheme in
                        let from = scheme.validity.from.text
                        return [
                            TableCell("\(scheme.appID.value)", isHeader: true),
                            TableCell(
                                DayText.moment(from),
                                link: request.address(keeping: "\(place.path)/\(scheme.appID.value)/\(from)")),
                            TableCell(scheme.validity.to.map { DayText.moment($0.text) } ?? "open"),
                            TableCell(scheme.currency?.text ?? "–"),
                            TableCell(scheme.isInUse ? "in use" : "not in use"), TableCell(scheme.name.text),
                        ]
                    },
                    advice:
                        "No scheme is loaded, so no value has a meaning. Load one below; docs/schemes.md describes it."),
                history.figure,
            ],
            forms: history.forms(request.address(keeping: place.path), request.session.formToken)
                + [loadForm(request, form)], sent: form.sent)
        return responses.html(view)
    }
}
