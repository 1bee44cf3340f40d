import AdAttribution
import StrictJSON

extension DestinationFilter {
    /// Reads `when`; nil if something is wrong with it.
    static func read(_ node: DocumentNode) -> DestinationFilter? {
        guard var reader = node.object() else { return nil }
        let environments = reader.optional("environment", else: standard.environments) { node in
            node.list { $0.choice(AttributionEnvironment.self) }.map { Set($0) }
        }
        let protocols = reader.optional("protocol", else: standard.protocols) { node in
            node.list { $0.choice(AttributionProtocol.self) }.map { Set($0) }
        }
        let networks = reader.member("networks")?.list { node in
            node.text(AdNetworkID.rule) { AdNetworkID($0)?.matchingForm }
        }
        let apps = reader.member("apps")?.list { node in node.integer(AppID.rule) { AppID($0)?.value } }
        let didWin = reader.member("did-win")?.boolean()
        let copies = reader.optional("developer-copies", else: false) { $0.boolean() }
        let events = reader.optional("events", else: standard.events) { node in
            node.list { $0.choice(ForwardedEvent.Kind.self) }.map { Set($0) }
        }
        reader.refuseOthers()
        guard let environments, let protocols, let copies, let events else { return nil }
        return DestinationFilter(
            environments: environments, protocols: protocols, networks: networks.map { Set($0) },
            apps: apps.map { Set($0) }, didWin: didWin, includesDeveloperCopies: copies, events: events)
    }
}
