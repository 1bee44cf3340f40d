import AdAttribution

extension TimelineSettings {
    func simulatedApps(begin: Moment) throws(FieldError) -> [SimulatedApp] {
        var simulated: [SimulatedApp] = []
        for (index, app) in apps.enumerated() {
            let field = "apps[\(index)].models"
            var eras: [AppModels.Era] = []
            for (number, model) in app.models.enumerated() {
                let from = try model.fromDay.map { (day) throws(FieldError) in
                    try TimelineWorld.value("\(field)[\(number)].from-day", day, "an integer from 0 to 4000") {
                        (0...4_000).contains($0) ? begin + .days($0) : nil
                    }
                }
                eras.append(AppModels.Era(from: from, model: try model.valueModel("\(field)[\(number)]")))
            }
            guard let models = AppModels(eras) else {
                throw FieldError(
                    field: field,
                    rule: "must be 1 to \(AppModels.most) models, all but the first with a later from-day than the last"
                )
            }
            simulated.append(
                SimulatedApp(updates: app.updates ?? true, getsCopies: app.copies ?? true, models: models))
        }
        return simulated
    }

    func simulatedCampaigns(_ choice: WeightedChoice) throws(FieldError) -> [SimulatedCampaign] {
        let networkChoice = try TimelineWorld.choice("networks", networks.map(\.weight), most: 100)
        let appChoice = try TimelineWorld.choice("apps", apps.map(\.weight), most: 100)
        var simulated: [SimulatedCampaign] = []
        for network in networks.indices {
            for app in apps.indices {
                for rank in campaigns.indices {
                    let share = networkChoice.share(of: network) * appChoice.share(of: app) * choice.share(of: rank)
                    // −1 for the first campaign, 1 for the last one.
                    let place = campaigns.count > 1 ? 2 * Double(rank) / Double(campaigns.count - 1) - 1 : 0
                    simulated.append(
                        SimulatedCampaign(
                            network: network, app: app,
                            number: SimulatedCampaign.number(rank: rank, network: network, app: app),
                            installsADay: installsADay * share,
                            payingShare: min(max(payingShare * (1 + payingSpread * place), 0), 1)))
                }
            }
        }
        return simulated
    }
}

extension TimelineSettings.Model {
    /// The model, checked.
    func valueModel(_ field: String) throws(FieldError) -> any ValueModel {
        guard let thresholds = RevenueThresholds(medium: medium, high: high, lock: lock) else {
            throw FieldError(field: field, rule: "must have 0 < medium < high, and a positive lock if there is one")
        }
        _ = try TimelineWorld.value(
            field + ".measurement-window-hours", measurementWindowHours, "an integer from 1 to 840"
        ) { (1...840).contains($0) ? $0 : nil }
        if let lockEvent {
            guard model == "revenue", lock != nil, lockEvent != Self.purchaseEvent,
                (1...100).contains(lockEvent.utf8.count)
            else {
                throw FieldError(
                    field: field + ".lock-event",
                    rule: "must be 1 to 100 bytes other than \(Self.purchaseEvent), in a model revenue with lock",
                    value: lockEvent)
            }
        }
        let window = Milliseconds.hours(measurementWindowHours)
        let made: (any ValueModel)?
        let most: Int
        switch model {
        case "revenue":
            made = RevenueModel(lowerBounds: buckets, thresholds: thresholds, measurementWindow: window)
            most = RevenueModel.mostBuckets
        case "revenue-by-day":
            guard window <= RevenueByDayModel.longestMeasurementWindow else {
                throw FieldError(field: field + ".measurement-window-hours", rule: "must be at most 96 here")
            }
            made = RevenueByDayModel(lowerBounds: buckets, thresholds: thresholds, measurementWindow: window)
            most = RevenueByDayModel.mostBuckets
        default:
            throw FieldError(field: field + ".model", rule: "must be revenue or revenue-by-day", value: model)
        }
        guard let made else {
            throw FieldError(field: field + ".buckets", rule: "must be 1 to \(most) ascending positive integers")
        }
        return made
    }
}
