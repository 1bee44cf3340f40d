package import AdAttribution

/// Which events a destination gets.
package struct DestinationFilter: Sendable, Equatable {
    /// The environments; not empty.
    package let environments: Set<AttributionEnvironment>
    /// The protocols; not empty.
    package let protocols: Set<AttributionProtocol>
    /// The networks in their form for comparing, without suffix; nil for all.
    package let networks: Set<String>?
    /// The advertised apps; nil for all.
    package let apps: Set<Int64>?
    /// Only winning postbacks, or only those that did not win; nil for both.
    package let didWin: Bool?
    /// Whether copies for developers of other networks' postbacks are among them.
    package let includesDeveloperCopies: Bool
    /// The kinds of events; not empty.
    package let events: Set<ForwardedEvent.Kind>

    /// What a destination gets whose file says nothing: what counts in production, and what was raised later.
    package static let standard = DestinationFilter()

    init(
        environments: Set<AttributionEnvironment> = [.production],
        protocols: Set<AttributionProtocol> = Set(AttributionProtocol.allCases),
        networks: Set<String>? = nil, apps: Set<Int64>? = nil, didWin: Bool? = nil,
        includesDeveloperCopies: Bool = false, events: Set<ForwardedEvent.Kind> = [.accepted, .raised]
    ) {
        self.environments = environments
        self.protocols = protocols
        self.networks = networks
        self.apps = apps
        self.didWin = didWin
        self.includesDeveloperCopies = includesDeveloperCopies
        self.events = events
    }

    /// Whether the destination gets an event.
    package func matches(_ event: ForwardedEvent) -> Bool {
        guard events.contains(event.kind), includesDeveloperCopies || !event.isDeveloperCopy,
            let environment = AttributionEnvironment(rawValue: event.environment), environments.contains(environment),
            let eventProtocol = AttributionProtocol(rawValue: event.protocolName), protocols.contains(eventProtocol),
            didWin == nil || didWin == event.didWin, apps?.contains(event.advertisedAppID) ?? true
        else { return false }
        guard let networks else { return true }
        return AdNetworkID(event.adNetworkID).map { networks.contains($0.matchingForm) } ?? false
    }
}
