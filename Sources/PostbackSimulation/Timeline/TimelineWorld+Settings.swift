import AdAttribution

extension TimelineWorld {
    /// Checks settings and takes them over.
    ///
    /// - Throws: `FieldError` with the path of the first wrong setting.
    init(_ settings: TimelineSettings, seed: UInt64) throws(FieldError) {
        self.seed = seed
        calendar = try settings.calendar(seed: seed)
        networks = try settings.networkIDs()
        appIDs = try settings.appIDs()
        apps = try settings.simulatedApps(begin: calendar.begin)
        campaignChoice = try Self.choice("campaigns", settings.campaigns, most: 100)
        campaignCount = settings.campaigns.count
        campaigns = try settings.simulatedCampaigns(campaignChoice)
        locationChoice = try Self.choice("locations", settings.locations, most: 10)
        placementChoice = try Self.choice("placements", settings.placements, most: 9)
        sourceAppChoice = try settings.sourceApps.choice(
            "source-apps", most: 1_000, mostOfPopulation: TimelineSettings.mostSourceApps)
        sourceAppCount = settings.sourceApps.count
        sources = try settings.sources()
        let countries = settings.countries.sorted { $0.key < $1.key }
        self.countries = try countries.map { (pair) throws(FieldError) in
            try Self.value("countries", pair.key, CountryCode.rule) { CountryCode($0) }
        }
        countryChoice = try Self.choice("countries", countries.map(\.value), most: 300)
        let versions = settings.versions.sorted { $0.key < $1.key }
        kinds = try versions.map { (pair) throws(FieldError) in try settings.kind(pair.key) }
        kindChoice = try Self.choice("versions", versions.map(\.value), most: 100)
        habits = try settings.habits()
        shares = try settings.shares()
        privacy = try settings.privacy.rule()
    }

    /// A choice by the weights of a setting.
    static func choice(_ field: String, _ weights: [Double], most: Int) throws(FieldError) -> WeightedChoice {
        guard (1...most).contains(weights.count), let choice = WeightedChoice(weights) else {
            throw FieldError(
                field: field, rule: "must have 1 to \(most) weights, none of them negative and at least one positive")
        }
        return choice
    }

    /// A value of a text or number; `rule` completes "must be …".
    static func value<Given, Value>(
        _ field: String, _ given: Given, _ rule: String, _ make: (Given) -> Value?
    ) throws(FieldError) -> Value {
        guard let value = make(given) else {
            throw FieldError(field: field, rule: "must be \(rule)", value: "\(given)")
        }
        return value
    }
}
