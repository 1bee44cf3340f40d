package import CampaignData
package import PageRequests
package import PageViews

/// What became of a load that somebody wants.
package enum LoadAnswer: Sendable {
    /// It was done, or refused.
    case done([String])
    /// It would lose rows, or take postbacks from some, so nothing is stored yet.
    case asks(LoadQuestion)
}

/// A load that would change or remove rows, or take postbacks from some, as a page shows it before it is stored.
package struct LoadQuestion: Sendable {
    private let outcome: LoadOutcome
    private let plan: LoadPlan
    private let file: SentFile
    private let remarks: [String]
    private let losing: [LosingRow]

    /// Takes a load that was not stored; nil if its rows are not known.
    ///
    /// - Parameters:
    ///   - remarks: What else loading would say.
    ///   - losing: The rows that would lose postbacks to a new one.
    package init?(_ outcome: LoadOutcome, _ file: SentFile, remarks: [String] = [], losing: [LosingRow] = []) {
        guard let plan = outcome.plan else { return nil }
        (self.outcome, self.plan, self.file) = (outcome, plan, file)
        (self.remarks, self.losing) = (remarks, losing)
    }

    /// The page that asks.
    ///
    /// - Parameters:
    ///   - place: The screen that it belongs to.
    ///   - heading: What is asked.
    ///   - field: The field with the file.
    ///   - action: The value of the button that loads.
    ///   - form: The form that the file came from, to change it.
    package func view(
        _ request: PageRequest, _ place: ScreenPlace, _ heading: String, field: String, action: String,
        errors: [PageError], form: FormView
    ) -> ReportView {
        let changes = outcome.changes
        let target = request.address(keeping: place.path)
        let confirm = FormView(
            id: "confirm", heading: "Load it?",
            hint:
                "If something changes before you press, nothing is loaded, and the page asks again. The last load can "
                + "be taken back.",
            target: target, csrf: request.session.formToken,
            hidden: file.fields(field) + [Fact("plan", plan.confirmation.text)],
            buttons: [
                FormButton(
                    "Load: remove \(changes.removed), change \(changes.changed), add \(changes.added) rows", action)
            ])
        return ReportView(
            request.frame(heading, errors: errors),
            introduction:
                "Nothing is loaded yet. This would add \(changes.added) rows, change \(changes.changed), remove "
                + "\(changes.removed) and leave \(changes.unchanged) as they are.",
            tabs: [PageLink("Back, load nothing", target)], notices: remarks.map { "“Load” would say: \($0)" },
            figures: figures, forms: [confirm, form])
    }

    private var figures: [FigureView] {
        var figures: [FigureView] = []
        if plan.lostCostCount > 0 { figures.append(lostCosts) }
        if outcome.changes.removed > 0 {
            let rows = plan.rows.compactMap { row -> [String]? in
                guard case .removed(let values) = row.change else { return nil }
                return [row.title, values]
            }
            figures.append(
                Self.figure("removed", "Rows that would be removed", outcome.changes.removed, ["Row", "Values"], rows))
        }
        if outcome.changes.changed > 0 {
            let rows = plan.rows.compactMap { row -> [String]? in
                guard case .changed(let before, let after) = row.change else { return nil }
                return [row.title, before, after]
            }
            figures.append(
                Self.figure(
                    "changed", "Rows that would be changed", outcome.changes.changed, ["Row", "Now", "Then"], rows))
        }
        if !losing.isEmpty {
            let rows = losing.prefix(Int(LoadPlan.greatestCount)).map { [$0.title, $0.now, $0.next] }
            figures.append(
                Self.figure(
                    "losing", "Rows that would lose postbacks to the new one", Int64(losing.count),
                    ["Row", "Now", "Then"], rows))
        }
        return figures
    }

    private var lostCosts: FigureView {
        let texts: [TableHeader] = ["Campaign", "Day", "Network", "App", "Currency"]
        return Self.table(
            "lost", "Campaigns that would lose their cost", plan.lostCostCount,
            texts + [TableHeader("Cost", isNumber: true)],
            plan.lostCosts.map { cost in
                Self.cells([
                    cost.campaignID, "\(cost.day)", cost.network, "\(cost.advertisedAppID)", cost.currency,
                ]) + [TableCell(NumberText.decimal(cost.spend, places: 2), exact: cost.spend)]
            })
    }

    private static func figure(
        _ id: String, _ heading: String, _ count: Int64, _ headers: [String], _ rows: [[String]]
    ) -> FigureView {
        table(id, heading, count, headers.map { TableHeader($0) }, rows.map(cells))
    }

    private static func cells(_ texts: [String]) -> [TableCell] {
        texts.enumerated().map { TableCell($1.isEmpty ? "–" : $1, isHeader: $0 == 0) }
    }

    private static func table(
        _ id: String, _ heading: String, _ count: Int64, _ headers: [TableHeader], _ rows: [[TableCell]]
    ) -> FigureView {
        let all = NumberText.decimal("\(count)", places: 0)
        return FigureView(
            id: id, heading: heading,
            remark: rows.count < count ? "The first \(rows.count) of \(all)." : "\(all) in all.",
            headers: headers, rows: rows,
            advice: "They are not listed, since more than \(LoadPlan.greatestCount) others stand before them.")
    }
}
