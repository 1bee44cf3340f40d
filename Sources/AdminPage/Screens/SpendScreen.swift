import Access
import AdAttribution
import AdminAPI
import CampaignData
import Hummingbird
import PageFigures
import PageForms
import PageRequests
import PageViews
import PostbackIngest
import PostbackStore
import PostgresClient
import Reports

/// *Spend*: what is loaded; load costs and currency rates.
struct SpendScreen: PageScreen {
    let place = ScreenPlace(path: "/spend", name: "Spend", hasForms: true, changing: .load)
    let store: PostbackStore
    let keyRing: KeyRingInForce
    let responses: PageResponses

    func show(_ request: PageRequest) async throws -> Response {
        return try await page(request, OperatorForm(request.draft), done: [])
    }

    func submit(_ request: PageRequest, _ form: PageForm) async throws -> Response {
        var form = OperatorForm(form)
        let networks = keyRing.current.networkNames
        let done: [String]
        switch form.action {
        case "check-spend":
            done = try await form.reading("spend") { file in
                let check = try SpendFileCheck(reading: file)
                let load = try await store.load(
                    OperatorFile.spend(check, file), from: .checked(by: request.actor), ending: .rollback,
                    keyRing: networks)
                return [Self.preview(load.outcome, rows: check.rows)] + load.remarks
            }
        case "check-rates":
            done = try await form.reading("rates") { file in
                let rates = try CurrencyRateFile(reading: file)
                let load = try await store.load(rates, from: .checked(by: request.actor), ending: .rollback).changes
                let count = rates.rates.count
                return [
                    "\(count) \(count == 1 ? "rate" : "rates"), nothing is wrong. “Load” would add \(load.added), "
                        + "change \(load.changed) and leave \(load.unchanged) as they are."
                ]
            }
        case "load-spend", "load-rates":
            let isSpend = form.action == "load-spend"
            let name = isSpend ? "spend" : "rates"
            let answer = try await form.loading(
                name, isSpend ? .spend : .rates, into: store, keyRing: networks, by: request.actor)
            switch answer {
            case .done(let said): done = said
            case .asks(let question):
                return responses.html(
                    question.view(
                        request, place, isSpend ? "Load the spend?" : "Load the rates?", field: name,
                        action: form.action, errors: form.errors,
                        form: isSpend ? spendForm(request, form) : ratesForm(request, form)))
            }
        case "take-back": done = try await form.takingBack([.spend, .rates], of: store, by: request.actor)
        default:
            throw Problem(
                .invalidBody, field: "do",
                rule: "must be one of check-spend, load-spend, check-rates, load-rates, take-back")
        }
        return try await page(request, form, done: done)
    }

    /// What a load would do, in a sentence or three.
    private static func preview(_ load: LoadOutcome, rows: Int) -> String {
        let changes = load.changes
        let lost = load.plan?.lostCostCount ?? 0
        let verdict = lost > 0 ? "no line is wrong, but cost would be lost" : "nothing is wrong"
        return "\(rows) \(rows == 1 ? "row" : "rows"), \(verdict). “Load” would add \(changes.added), change "
            + "\(changes.changed), remove \(changes.removed) and leave \(changes.unchanged) as they are."
            + (lost > 0 ? " Campaigns would lose their cost: \(lost), each counted on each day." : "")
    }

    private func page(_ request: PageRequest, _ form: OperatorForm, done: [String]) async throws -> Response {
        let history = try await LoadHistory([.spend, .rates], of: store)
        let view = ReportView(
            request.frame(place.name, errors: form.errors),
            introduction:
                "What ads cost, as the networks report it. Everything that is stored for a day, network and app of "
                + "a file is replaced by the rows of the file.",
            notices: done,
            figures: [
                table(
                    "spend", "Spend by network and app", Self.spend, try await store.readNow(Self.spend),
                    ["Network", "App", "Currency", "Rows", "First day", "Last day", "Spend"],
                    forms: [3: .integer, 6: .money],
                    "No cost is loaded. Load a spend file below; docs/mapping-and-spend.md describes it."),
                table(
                    "rates", "Currency rates", Self.rates, try await store.readNow(Self.rates),
                    ["Currency", "Rates", "First day", "Last day", "Units per US dollar on the last day"],
                    forms: [1: .integer, 4: .decimal],
                    "No rate is loaded. They are only needed if spend and revenue have several currencies."),
                history.figure,
            ],
            forms: history.forms(request.address(keeping: place.path), request.session.formToken)
                + [spendForm(request, form), ratesForm(request, form)], sent: form.sent)
        return responses.html(view)
    }

    private func spendForm(_ request: PageRequest, _ form: OperatorForm) -> FormView {
        FormView(
            id: "spend-form", heading: "Load spend",
            hint: "CSV or NDJSON, up to 1 MiB with the form. All rows are loaded or none. If rows would be changed or "
                + "removed, they are shown first. Longer files: “PostbackServer spend load”.",
            target: request.address(keeping: place.path), csrf: request.session.formToken,
            files: [TextField(id: "spend", label: "spend file", content: form.text("spend"))],
            buttons: [FormButton("Check spend", "check-spend"), FormButton("Load spend", "load-spend")])
    }

    private func ratesForm(_ request: PageRequest, _ form: OperatorForm) -> FormView {
        FormView(
            id: "rates-form", heading: "Load currency rates", target: request.address(keeping: place.path),
            csrf: request.session.formToken,
            files: [TextField(id: "rates", label: "rate file", content: form.text("rates"))],
            buttons: [FormButton("Check rates", "check-rates"), FormButton("Load rates", "load-rates")])
    }

    private func table(
        _ id: String, _ heading: String, _ question: FigureQuestion, _ rows: [[String?]], _ headers: [String],
        forms: [Int: FigureColumn.Form], _ advice: String
    ) -> FigureView {
        FigureView(
            id: id, heading: heading,
            headers: headers.enumerated().map { TableHeader($1, isNumber: forms[$0] != nil) },
            rows: rows.map { row in
                row.enumerated().map { place, text in
                    TableCell(
                        (forms[place] ?? .text).shown(text), exact: forms[place].flatMap { _ in text },
                        isHeader: place == 0)
                }
            }, advice: advice, sql: question.sql)
    }

    private static let spend = FigureQuestion(
        ["network_name", "advertised_app_id", "currency", "rows", "first_day", "last_day", "spend"]
    ) { _ in
        """
        SELECT network_name, advertised_app_id, currency, count(*) AS rows, min(day) AS first_day, max(day) AS last_day,
               sum(spend) AS spend
          FROM attribution.spend_daily
         GROUP BY network_name, advertised_app_id, currency
         ORDER BY network_name, advertised_app_id, currency
         LIMIT 500
        """
    }

    private static let rates = FigureQuestion(["currency", "rates", "first_day", "last_day", "units_per_usd"]) { _ in
        """
        SELECT currency, count(*) AS rates, min(day) AS first_day, max(day) AS last_day,
               (array_agg(units_per_usd ORDER BY day DESC))[1] AS units_per_usd
          FROM attribution.currency_rate
         GROUP BY currency
         ORDER BY currency
        """
    }
}
