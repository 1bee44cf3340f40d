import AdAttribution
import AdminAPI
import Hummingbird
import Observability
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
        var filters = PageFilters(request.query, others: parameters + ["csv"], choices: choices, today: today)
        if filters.errors.isEmpty { try await filters.readCampaign(from: reader.store) }
        var errors = filters.errors
        if errors.isEmpty {
            do {
                let reports = ScreenReports(
                    catalog: try await reader.store.reportCatalog(), filters: filters, today: today,
                    request: request)
                let content = try plan(filters, reports)
                return try await show(content, filters, request)
            } catch let error as FieldError {
                errors = [PageError("\(error)", field: error.field)]
            }
        }
        let view = ReportView(
            request.frame(place.name, errors: errors), introduction: "", filters: filters.form(place.path),
            figures: [])
        return responses.html(view)
    }

    private func show(
        _ content: ScreenContent, _ filters: PageFilters, _ request: PageRequest
    ) async throws -> Response {
        if let name = request["csv"] {
            guard let plan = content.plans.first(where: { $0.id == name }) else {
                throw Problem(.notFound, field: "csv", rule: "must be the name of a figure of this screen")
            }
            return PageResponses.csv(plan.csv(try await reader.read([plan])[0]), name: plan.id)
        }
        let rows = try await reader.read(content.plans)
        let view = ReportView(
            request.frame(content.title ?? place.name), introduction: content.introduction,
            filters: filters.form(place.path, kept: parameters), tabs: content.tabs, notices: content.notices,
            figures: zip(content.plans, rows).map { plan, rows in
                plan.view(rows) { filters.address(place.path, [($0, $1)]) }
            }, isPaired: content.isPaired)
        return responses.html(view)
    }
}

/// Reads the figures of screens.
struct FigureReader: Sendable {
    let store: PostbackStore
    let limits: ReportLimits
    let clock: WallClock

    var today: PostgresDate { PostgresDate(PostgresTimestamp(millisecondsSince1970: clock.milliseconds())) }

    /// The rows of each plan, all of one snapshot.
    ///
    /// A statement of several plans is asked once.
    func read(_ plans: [FigurePlan]) async throws -> [FigureRows] {
        var questions: [FigureQuestion] = []
        let places = plans.map { plan in
            if let place = questions.firstIndex(where: plan.question.sharesStatement) { return place }
            questions.append(plan.question)
            return questions.endIndex - 1
        }
        let answers = try await store.read(questions, limits: limits)
        return zip(plans, places).map { plan, place in
            FigureRows(names: plan.question.names, rows: plan.question.meant(answers[place]))
        }
    }
}

/// The reports, asked with the filters of a screen.
struct ScreenReports: Sendable {
    let catalog: ReportCatalog
    var filters: PageFilters
    let today: PostgresDate
    let request: PageRequest

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
        _ figures: [ReportSummary.Figure], sort: String? = nil, limit: Int? = nil
    ) throws(FieldError) -> ReportSummary {
        guard let report = catalog[name] else {
            throw FieldError(field: "report", rule: "\(name) is missing in this database")
        }
        let query = try ReportQuery(report, parameters: filters.parameters(report) + more, today: today)
        return try ReportSummary(query, by: groups, figures, sort: sort, limit: limit)
    }
}
