import Destinations
import Testing

@Suite("Which events a destination gets")
struct DestinationFilterTests {
    private func filter(_ when: String?) throws -> DestinationFilter {
        try Destination(members: ["body": #""none""#, "when": when ?? "-"]).filter
    }

    @Test("Without a filter: what counts in production, accepted or raised, of both protocols, no developer copies")
    func standard() throws {
        let filter = try filter(nil)
        for kind in ForwardedEvent.Kind.allCases {
            #expect(filter.matches(try .genuine(kind: kind)) == (kind != .conflict))
        }
        #expect(filter.matches(try .genuine(protocolName: "adattributionkit")))
        #expect(filter.matches(try .genuine(didWin: false)))
        #expect(!filter.matches(try .genuine(environment: "development")))
        #expect(!filter.matches(try .genuine(environment: "test")))
        #expect(!filter.matches(try .genuine(isDeveloperCopy: true)))
    }

    @Test("Environments, protocols and events are those that the file names, and no others")
    func named() throws {
        let environments = try filter(#"{ "environment": ["test"] }"#)
        #expect(environments.matches(try .genuine(environment: "test")))
        #expect(!environments.matches(try .genuine()))
        let protocols = try filter(#"{ "protocol": ["adattributionkit"] }"#)
        #expect(protocols.matches(try .genuine(protocolName: "adattributionkit")))
        #expect(!protocols.matches(try .genuine()))
        let events = try filter(#"{ "events": ["conflict"] }"#)
        #expect(events.matches(try .genuine(kind: .conflict)))
        #expect(!events.matches(try .genuine()))
    }

    @Test("Networks are compared without letter case and suffix")
    func networks() throws {
        let filter = try filter(#"{ "networks": ["EXAMPLE123.adattributionkit"] }"#)
        #expect(filter.matches(try .genuine()))
        #expect(!filter.matches(try .genuine(adNetworkID: "example1234.skadnetwork")))
    }

    @Test("Apps are the advertised ones")
    func apps() throws {
        let filter = try filter(#"{ "apps": [1, 525463029] }"#)
        #expect(filter.matches(try .genuine()))
        #expect(!filter.matches(try .genuine(advertisedAppID: 2)))
    }

    @Test("Winning postbacks, those that did not win, or both", arguments: [true, false])
    func didWin(_ wanted: Bool) throws {
        let filter = try filter(#"{ "did-win": \#(wanted) }"#)
        #expect(filter.matches(try .genuine(didWin: wanted)))
        #expect(!filter.matches(try .genuine(didWin: !wanted)))
    }

    @Test("Developer copies come beside the others if the file wants them")
    func developerCopies() throws {
        let filter = try filter(#"{ "developer-copies": true }"#)
        #expect(filter.matches(try .genuine(isDeveloperCopy: true)))
        #expect(filter.matches(try .genuine()))
    }
}
