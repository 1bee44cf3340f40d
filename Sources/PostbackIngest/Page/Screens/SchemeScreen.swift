import AdAttribution
import AdminPage
import ConversionSchemes
import Foundation
import Hummingbird
import Money
import PostbackStore
import PostgresClient

/// *Schemes*: what conversion values mean; see, check and load.
struct SchemeScreen: PageScreen {
    let place = ScreenPlace(path: "/schemes", name: "Schemes", hasFilters: false)
    let store: PostbackStore
    let responses: PageResponses

    func show(_ request: PageRequest) async throws -> Response {
        guard let item = request.item else { return try await page(request, [], notices: [], pasted: "") }
        // APP/TIME
        let parts = item.split(separator: "/")
        guard parts.count == 2, let app = Int64(parts[0]).flatMap(AppID.init),
            let time = parts[1].removingPercentEncoding.flatMap({ SchemeTime(timeOrDay: $0) }),
            let scheme = try await store.scheme(of: app, at: PostgresTimestamp(time))
        else { throw Problem.notFound }
        let view = ReportView(
            request.frame("Scheme of app \(app.value)"),
            introduction: "Valid \(scheme.validity.shown), as a file.",
            notices: scheme.notices.map { "Notice: \($0)." },
            blocks: [
                TextBlock(id: "file", heading: scheme.name.text, text: String(decoding: scheme.file, as: UTF8.self))
            ])
        return responses.html(view)
    }

    func submit(_ request: PageRequest, _ form: [String: String]) async throws -> Response {
        guard request.item == nil else { throw Problem.notFound }
        let form = OperatorForm(form)
        let pasted = form.text("scheme")
        guard ["check", "load"].contains(form.action) else {
            throw Problem(.invalidBody, field: "do", rule: "must be check or load")
        }
        let scheme: ConversionScheme
        do throws(SchemeRefusal) {
            scheme = try SchemeFile.read(Array(pasted.utf8))
        } catch {
            let errors = error.problems.prefix(20).map { PageError("\($0)") }
            return try await page(request, errors, notices: [], pasted: pasted)
        }
        var notices = scheme.notices.map { "Notice: \($0)." }
        guard form.action == "load" else {
            notices.insert(
                "Good: app \(scheme.appID.value), \(scheme.name.text), valid \(scheme.validity.shown).", at: 0)
            return try await page(request, [], notices: notices, pasted: pasted)
        }
        do {
            notices = try await store.load([scheme]).map(\.text) + notices
            return try await page(request, [], notices: notices, pasted: "")
        } catch let error as SchemeOverlap {
            return try await page(request, [PageError("\(error)")], notices: [], pasted: pasted)
        } catch let error as SchemeInUse {
            return try await page(request, [PageError("\(error)")], notices: [], pasted: pasted)
        }
    }

    private func page(
        _ request: PageRequest, _ errors: [PageError], notices: [String], pasted: String
    ) async throws -> Response {
        let schemes = try await store.schemes()
        let table = TableView(
            caption: "Schemes of the database",
            headers: ["App", "Valid from", "Valid to", "Currency", "State", "Name"].map {
                TableHeader($0, isNumber: false)
            },
            rows: schemes.map { scheme in
                [
                    TableCell("\(scheme.appID.value)", isHeader: true),
                    TableCell(
                        scheme.validity.from.text,
                        link: "\(place.path)/\(scheme.appID.value)/\(scheme.validity.from.text)"),
                    TableCell(scheme.validity.to?.text ?? "open"), TableCell(scheme.currency?.text ?? "–"),
                    TableCell(scheme.isInUse ? "in use" : "not in use"), TableCell(scheme.name.text),
                ]
            })
        let view = ReportView(
            request.frame(place.name, errors: errors),
            introduction:
                "What the conversion values of an app mean during one validity. A scheme in use can't be edited, "
                + "only followed by another one.",
            notices: notices,
            figures: [
                FigureView(
                    id: "schemes", heading: "Schemes", remark: nil, chart: nil, table: schemes.isEmpty ? nil : table,
                    advice:
                        "No scheme is loaded, so no value has a meaning. Paste one below; docs/schemes.md describes it.",
                    sql: nil, csv: nil)
            ],
            forms: [
                FormView(
                    id: "load", heading: "Load a scheme",
                    hint:
                        "JSON as docs/schemes.md describes it. “PostbackServer scheme import” makes it from other formats.",
                    target: place.path, csrf: request.session.formToken,
                    areas: [FormText(id: "scheme", label: "The text of the file", content: pasted)],
                    buttons: [FormButton("Check", "check"), FormButton("Load", "load")])
            ])
        return responses.html(view, status: errors.isEmpty ? .ok : .badRequest)
    }
}
