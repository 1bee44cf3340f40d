import AdAttribution
import StrictJSON

extension TimelinePostback {
    /// Why the postback has no value; `docs/simulation.md` describes each.
    enum Absence: String {
        /// The app had set one, and Apple's privacy withholds it.
        case privacy
        /// The app had set none.
        case app
        /// There can be none: SKAdNetwork 1.0, or did-win false.
        case notApplicable = "not-applicable"
    }

    /// Why the postback has no value; nil if it has one.
    var absence: Absence? {
        guard didWin, conversion.hasValues else { return .notApplicable }
        guard value != nil else { return .app }
        return allowsValue ? nil : .privacy
    }

    /// The line of truth: one flat JSON object.
    func truth(_ simulated: SimulatedPostback, _ world: TimelineWorld) -> [UInt8] {
        var line = TruthLine()
        line.append("transaction-id", simulated.transactionID.text)
        line.append("ad-network-id", simulated.adNetworkID.text)
        line.append("sequence-index", Int64(window))
        line.append("did-win", didWin)
        line.append("protocol", simulated.layout.version == nil ? "adattributionkit" : "skadnetwork")
        line.append("version", simulated.layout.version?.description)
        line.append("app-id", simulated.advertisedAppID.value)
        line.append("conversion-type", conversion.conversionType.rawValue)
        appendAd(to: &line, world)
        appendTimes(to: &line)
        appendValue(to: &line, world)
        line.append("revenue-at-value", value?.revenue)
        line.append("revenue-in-window", revenueInWindow)
        line.append("revenue-to-end", revenueToEnd)
        line.append("revenue-total", revenueTotal)
        return line.finished()
    }

    /// The ad, as the impression and the device know it.
    private func appendAd(to line: inout TruthLine, _ world: TimelineWorld) {
        let source = world.sources[conversion.source]
        line.append("campaign-id", Int64(conversion.campaignNumber))
        line.append("source-identifier", conversion.hasWindows ? conversion.sourceIdentifier : nil)
        line.append("source-app-id", source.appID?.value)
        line.append("source-domain", source.domain?.text)
        line.append("country", world.countries[conversion.country].text)
        line.append("interaction", conversion.isView ? "view" : "click")
    }

    private func appendTimes(to line: inout TruthLine) {
        line.append("installed-at", conversion.installedAt?.milliseconds)
        line.append("launched-at", launchedAt.milliseconds)
        line.append("locked-at", lockedAt?.milliseconds)
        line.append("re-engaged-at", reengagedAt?.milliseconds)
        line.append("prepared-at", preparedAt.milliseconds)
        line.append("sent-at", sentAt.milliseconds)
        line.append("received-at", receivedAt.milliseconds)
        line.append("delayed", receivedAt != sentAt)
    }

    /// What the app set, what was sent of it, and why not.
    private func appendValue(to line: inout TruthLine, _ world: TimelineWorld) {
        let era = value.map { world.apps[conversion.app].models.eras[$0.era] }
        line.append("tier", conversion.hasWindows ? Int64(tier.number) : nil)
        line.append("crowd", tier.crowd.map { Int64($0) })
        line.append("value-set-at", value?.at.milliseconds)
        line.append("model", era?.model.name)
        line.append("model-number", (value?.era).map { Int64($0) })
        line.append("set-fine", window == 0 ? (value?.fine.value).map { Int64($0) } : nil)
        line.append("set-coarse", conversion.hasWindows ? value?.coarse.rawValue : nil)
        line.append("sent-fine", (sentValue.fine?.value).map { Int64($0) })
        line.append("sent-coarse", sentValue.coarse?.rawValue)
        line.append("value-allowed", allowsValue)
        line.append("absence", absence?.rawValue)
    }
}

/// A flat JSON object in which an absent value is null, so that all lines have the same members.
private struct TruthLine {
    private var object = JSONObjectText()
    private static let null = Array("null".utf8)

    mutating func append(_ name: String, _ text: String?) {
        if let text { object.append(name, text) } else { object.append(name, json: Self.null) }
    }

    mutating func append(_ name: String, _ integer: Int64?) {
        if let integer { object.append(name, integer) } else { object.append(name, json: Self.null) }
    }

    mutating func append(_ name: String, _ flag: Bool) { object.append(name, flag) }

    consuming func finished() -> [UInt8] { object.finished() }
}
