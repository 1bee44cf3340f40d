import AdminAPI
import HTTPTypes
import Hummingbird
import PageRequests
import PageViews

/// *Live*: the last hundred events as they come.
struct LiveScreen: PageScreen {
    let place = ScreenPlace(path: "/live", name: "Live", hasItems: true)
    let feed: LiveFeed
    let sessions: PageSessions
    let responses: PageResponses

    private static let headers: [TableHeader] = [
        "Written at (UTC)", "Event", "Environment", "Network", "Version", "Campaign", "App", "Window", "Value",
        "Transaction",
    ]

    func show(_ request: PageRequest) async throws -> Response {
        switch request.item {
        case nil: break
        case "events": return try stream(request)
        default: throw Problem.notFound
        }
        let view = LiveView(
            request.frame(place.name, script: .live), headers: Self.headers,
            rows: try await feed.events().map { event in
                let members: [String: String] = Dictionary(
                    zip(LiveFeed.names, event).compactMap { name, text in text.map { (name, $0) } }
                ) { first, _ in first }
                return zip(LiveFeed.names, event).prefix(Self.headers.count).map { name, text in
                    TableCell(
                        text ?? "–", link: Self.address(of: name, members, currency: request["currency"]),
                        isHeader: name == LiveFeed.names[0])
                }
            })
        return responses.html(view)
    }

    /// The address to which a cell of an event leads; nil if it leads nowhere.
    ///
    /// live.js says the same. No figure has developer copies, so theirs lead nowhere.
    private static func address(of name: String, _ event: [String: String], currency: String?) -> String? {
        guard event["counted"] != nil, event[name] != nil else { return nil }
        var parameters: [(name: String, value: String?)] = [("environment", event["environment"])]
        if name == "ad_network_id" || name == "campaign" { parameters.append(("network", event["ad_network_id"])) }
        if name == "advertised_app_id" || name == "campaign" { parameters.append(("app", event["advertised_app_id"])) }
        if name == "campaign" { parameters.append(("campaign", event["campaign"])) }
        guard parameters.count > 1 else { return nil }
        parameters.append(("currency", currency))
        let place = name == "campaign" ? OneCampaignScreen.place : OverviewScreen.place
        return PageLink.address(place.path, parameters)
    }

    private func stream(_ request: PageRequest) throws(Problem) -> Response {
        // HEAD asks for the size of an answer that has none, so it takes no place.
        guard request.request.method == .get else {
            throw Problem(
                .methodNotAllowed, field: "method", rule: "must be GET",
                headers: [HTTPField(name: .allow, value: "GET")])
        }
        guard feed.enter() else {
            throw .unavailable("live", rule: "\(LiveFeed.capacity) others are watching")
        }
        // If the body is never asked for, the place is given back when it is gone.
        let ticket = LiveTicket(feed)
        var response = Response.stream("text/event-stream") { writer in
            defer { withExtendedLifetime(ticket) {} }
            try await feed.stream(while: { try await sessions.isOpen(request.session) }) { part in
                try await writer.write(part)
            }
        }
        PageResponses.secure(&response)
        return response
    }
}

/// A place among those who watch live events, until the last reference is gone.
private final class LiveTicket: Sendable {
    private let feed: LiveFeed

    init(_ feed: LiveFeed) {
        self.feed = feed
    }

    deinit {
        feed.leave()
    }
}
