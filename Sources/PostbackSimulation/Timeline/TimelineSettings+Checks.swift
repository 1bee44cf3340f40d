import AdAttribution

extension TimelineSettings {
    /// The bounds keep the number of a conversion in 56 bits, even if all conversions are on one day of the week.
    private static let mostDays = 3_660
    private static let mostInstallsADay = 1_000_000.0
    /// With the domains, they are numbered in 20 bits (`Crowds`).
    static let mostSourceApps = 1_000_000

    func calendar(seed: UInt64) throws(FieldError) -> InstallCalendar {
        let begin = try TimelineWorld.value("begin", begin, Moment.dayRule) { Moment(day: $0) }
        _ = try TimelineWorld.value("days", days, "an integer from 1 to \(Self.mostDays)") {
            (1...Self.mostDays).contains($0) ? $0 : nil
        }
        _ = try TimelineWorld.value("installs-a-day", installsADay, "a number above 0, at most 1000000") {
            $0 > 0 && $0 <= Self.mostInstallsADay ? $0 : nil
        }
        _ = try TimelineWorld.choice("weekdays", weekdays, most: 7)
        guard weekdays.count == 7 else { throw FieldError(field: "weekdays", rule: "must have seven weights") }
        _ = try TimelineWorld.value("trend", trend, "a number from -1 to 1") { (-1...1).contains($0) ? $0 : nil }
        return InstallCalendar(begin: begin, days: days, weekdays: weekdays, trend: trend, seed: seed)
    }

    func networkIDs() throws(FieldError) -> [AdNetworkID] {
        _ = try TimelineWorld.choice("networks", networks.map(\.weight), most: 100)
        var ids: [AdNetworkID] = []
        for (index, network) in networks.enumerated() {
            let field = "networks[\(index)].ad-network-id"
            let id = try TimelineWorld.value(field, network.adNetworkID, "in lower case, \(AdNetworkID.rule)") {
                AdNetworkID($0).flatMap { $0.isLowercase ? $0 : nil }
            }
            guard !ids.contains(where: { $0.matchingForm == id.matchingForm }) else {
                throw FieldError(field: field, rule: "must stand once", value: id.text)
            }
            ids.append(id)
        }
        return ids
    }

    func appIDs() throws(FieldError) -> [AppID] {
        _ = try TimelineWorld.choice("apps", apps.map(\.weight), most: 100)
        guard Set(apps.map(\.appID)).count == apps.count else {
            throw FieldError(field: "apps", rule: "each app must stand once")
        }
        var ids: [AppID] = []
        for (index, app) in apps.enumerated() {
            ids.append(try TimelineWorld.value("apps[\(index)].app-id", app.appID, AppID.rule) { AppID($0) })
        }
        return ids
    }

    /// The source apps are made up.
    func sources() throws(FieldError) -> [AttributionSource] {
        var sources: [AttributionSource] = []
        for place in 0..<sourceApps.count {
            let number = sourceApps.number(at: place) + 1
            sources.append(.app(try TimelineWorld.value("source-apps", number, AppID.rule) { MadeUpSource.app($0) }))
        }
        guard sourceDomains.count <= 1_000 else {
            throw FieldError(field: "source-domains", rule: "must be at most 1000")
        }
        for domain in sourceDomains {
            sources.append(
                .domain(try TimelineWorld.value("source-domains", domain, SourceDomain.rule) { SourceDomain($0) }))
        }
        return sources
    }

    func kind(_ name: String) throws(FieldError) -> SimulatedKind {
        if name == AttributionProtocol.adAttributionKit.rawValue { return .adAttributionKit }
        let known = PostbackVersions.apple.versions.map(\.description).joined(separator: ", ")
        return try TimelineWorld.value("versions", name, "one of \(known), adattributionkit") { name in
            SKAdNetworkVersion(name).flatMap {
                PostbackVersions.apple.skAdNetwork[$0] == nil ? nil : .skAdNetwork($0)
            }
        }
    }

    func habits() throws(FieldError) -> UserHabits {
        for (index, price) in prices.enumerated() {
            _ = try TimelineWorld.value("prices[\(index)].cents", price.cents, "an integer from 1 to 100000000") {
                (1...100_000_000).contains($0) ? $0 : nil
            }
        }
        _ = try Self.share("paying-share", payingShare)
        _ = try TimelineWorld.value("paying-spread", payingSpread, "a number from -1 to 1") {
            (-1...1).contains($0) ? $0 : nil
        }
        return UserHabits(
            returning: try Self.share("returning", returning),
            purchaseShare: try Self.share("purchase-share", purchaseShare), prices: prices.map(\.cents),
            choice: try TimelineWorld.choice("prices", prices.map(\.weight), most: 100))
    }

    func shares() throws(FieldError) -> TimelineWorld.Shares {
        TimelineWorld.Shares(
            reengagement: try Self.share("re-engagement-share", reengagementShare),
            redownload: try Self.share("redownload-share", redownloadShare),
            view: try Self.share("view-share", viewShare), web: try Self.share("web-share", webShare),
            marketplace: try Self.share("marketplace-share", marketplaceShare),
            losing: try Self.share("losing-share", losingShare),
            neverLaunched: try Self.share("never-launched-share", neverLaunchedShare),
            silent: try Self.share("silent-share", silentShare),
            silentWindow: try Self.share("silent-window-share", silentWindowShare),
            reengaged: try Self.share("re-engaged-share", reengagedShare),
            delayed: try Self.share("delayed-share", delayedShare), retry: try Self.share("retry-share", retryShare),
            relay: try Self.share("relay-share", relayShare))
    }

    static func share(_ field: String, _ share: Double) throws(FieldError) -> Double {
        try TimelineWorld.value(field, share, "a share from 0 to 1") { (0...1).contains($0) ? $0 : nil }
    }
}
