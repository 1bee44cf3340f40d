import Access
import AdAttribution
import AdminAPI
import Hummingbird
import Observability
import PageFigures
import PageRequests
import PageViews
import PostbackStore
import PostgresClient
import Reports

/// What a screen of figures shows for some filters.
struct ScreenContent: Sendable {
    /// The heading of the page; nil if it is the name of the screen.
    var title: String?
    var introduction: String
    var tabs: [PageLink] = []
    var notices: [String] = []
    var plans: [FigurePlan]
    /// Whether two charts stand side by side if there is room.
    var isPaired = false
    /// Whether it has figures of the days before.
    var isCompared = false
}

/// A screen of figures that reports answer.
struct ReportScreen: PageScreen {
    /// Makes the content.
    typealias Plan = @Sendable (PageFilters, ScreenReports) throws(FieldError) -> ScreenContent

    let place: ScreenPlace
    /// The names of its parameters beside the filters.
    let parameters: [String]
    let reader: FigureReader
    let responses: PageResponses
    let plan: Plan

    func show(_ request: PageRequest) async throws -> Response {
        let today = reader.today
        let environment = request["environment"] ?? AttributionEnvironment.production.rawValue
        let choices = try await reader.store.reportChoices(environment: environment)
        var filters = PageFilters(
            TableChoices.joined(request.query), others: parameters + ["csv"], choices: choices, today: today)
        filters.offersNaming = request.may(.load)
        // Names are those of an environment, a network and an app: if one of these is wrong, no name is.
        if !filters.errors.contains(where: { ["environment", "network", "app"].contains($0.field) }) {
            try await filters.readCampaign(from: reader.store)
        }
        var errors = filters.errors
        if errors.isEmpty {
            do {
                let reports = ScreenReports(
                    catalog: try await reader.store.reportCatalog(), filters: filters, today: today,
                    request: request, choices: try TableChoices(request.query))
                // Another table has other columns and rows.
                let content = try plan(filters.without(TableChoices.names), reports)
                for plan in content.plans { try plan.choices.check(plan.columns) }
                return try await show(content, filters, request)
            } catch let error as FieldError {
                errors = [PageError("\(error)", field: error.field)]
            }
        }
        let view = ReportView(
            request.frame(place.name, errors: errors), introduction: "",
            filters: filters.without(["csv"]).form(place.path), figures: [])
        return responses.html(view)
    }

    private func show(
        _ content: ScreenContent, _ filters: PageFilters, _ request: PageRequest
    ) async throws -> Response {
        if let name = request["csv"] {
            guard let plan = content.plans.first(where: { $0.id == name }) else {
                let names = content.plans.map(\.id).joined(separator: ", ")
                throw FieldError(
                    field: "csv",
                    rule: names.isEmpty ? "must not be there: no figure is shown" : "must be one of \(names)",
                    value: names.isEmpty ? nil : name)
            }
            let text = plan.csv(try await reader.read([plan.question])[0])
            return PageResponses.csv(text, name: csvName(plan, filters))
        }
        let rows = try await reader.read(content.plans.map(\.pageQuestion))
        let view = ReportView(
            request.frame(content.title ?? place.name, script: .copy), introduction: content.introduction,
            filters: filters.form(place.path, kept: parameters, isCompared: content.isCompared), tabs: content.tabs,
            notices: content.notices,
            figures: zip(content.plans, rows).map { plan, rows in
                plan.view(rows) {
                    filters.address(place.path, $0)
                } hidden: {
                    filters.hidden(without: $0)
                }
            }, isPaired: content.isPaired)
        return responses.html(view)
    }

    /// The name of a CSV: the screen, the figure and the days.
    private func csvName(_ plan: FigurePlan, _ filters: PageFilters) -> String {
        let screen = place.path == "/" ? "overview" : String(place.path.dropFirst())
        let days = plan.isOfDays ? ["\(filters.days.lowerBound)", "\(filters.days.upperBound)"] : []
        return ([screen] + (plan.id == screen ? [] : [plan.id]) + days).joined(separator: "_")
    }
}

/// Reads the figures of screens.
struct FigureReader: Sendable {
    let store: PostbackStore
    let limits: ReportLimits
    let clock: ReportClock

    var today: PostgresDate { clock.today }

    /// The rows of each question, all of one snapshot.
    ///
    /// A statement of several questions is asked once.
    func read(_ all: [FigureQuestion]) async throws -> [FigureRows] {
        var questions: [FigureQuestion] = []
        let places = all.map { question in
            if let place = questions.firstIndex(where: question.sharesStatement) { return place }
            questions.append(question)
            return questions.endIndex - 1
        }
        let answers = try await store.read(questions, limits: limits)
        return zip(all, places).map { question, place in
            FigureRows(names: question.names, rows: question.meant(answers[place]))
        }
    }
}

/// The reports, asked with the filters of a screen.
struct ScreenReports: Sendable {
    let catalog: ReportCatalog
    var filters: PageFilters
    let today: PostgresDate
    let request: PageRequest
    /// Which columns and rows of the table are shown.
    let choices: TableChoices

    /// The report to ask about whole apps: of two that have the same figures.
    ///
    /// - Parameters:
    ///   - name: The one with few rows, but without campaigns.
    ///   - report: The one with campaigns as received.
    ///   - mapped: The one with names of campaigns, for a filter on a name; nil if identifiers have to do.
    func installs(
        _ name: String = "install_version", orByCampaign report: String, orByName mapped: String? = nil,
        daily: Bool = false
    ) -> String {
        let report =
            switch filters.campaign {
            case nil: name
            case .received: report
            case .mapped: mapped ?? report
            }
        return report + (daily ? "_daily" : "")
    }

    /// The report in which all money can be in one currency: that by day, if there are schemes in others.
    ///
    /// Both have the same figures. That without days has fewer rows, but nothing in it can be converted.
    func withMoney(_ name: String) -> String { name + (filters.otherCurrencies.isEmpty ? "" : "_daily") }

    /// A report, summed.
    ///
    /// - Parameters:
    ///   - more: Filters and arguments beside those of the screen.
    ///   - sort: The order, as the address has it; nil for that of the groups.
    func summary(
        _ name: String, _ more: [(name: String, value: String)] = [], by groups: [String],
        _ figures: [ReportSummary.Figure], sort: String? = nil, limit: Int? = nil, search: String? = nil
    ) throws(FieldError) -> ReportSummary {
        guard let report = catalog[name] else {
            throw FieldError(field: "report", rule: "\(name) is missing in this database")
        }
        let query = try ReportQuery(report, parameters: filters.parameters(report) + more, today: today)
        return try ReportSummary(query, by: groups, figures, sort: sort, limit: limit, search: search)
    }
}
