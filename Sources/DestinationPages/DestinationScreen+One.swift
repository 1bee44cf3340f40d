import AdminAPI
import CampaignData
import Destinations
import Forwarding
import Hummingbird
import PageFigures
import PageRequests
import PageViews
import PostbackStore
import Reports

/// One destination.
extension DestinationScreen {
    /// Shows a destination.
    ///
    /// - Parameters:
    ///   - notices: What was done.
    ///   - tried: The request and the answer of a test.
    func page(
        _ request: PageRequest, _ stored: StoredDestination, notices: [String] = [], tried: [TextBlock] = []
    ) async throws -> Response {
        let name = stored.destination.name
        if let wanted = request["csv"] { return try await csv(wanted, of: name) }
        let status = try await status(of: name)
        let tables = try await DeliveryTables(request, of: status, in: store)
        let days = DeliveryDays.plan(name)
        let rows = try await rows(days.pageQuestion)
        let view = ReportView(
            request.frame("Destination \(name)", errors: tables.errors),
            introduction: "Where it sends, how that goes, and what was not taken.",
            tabs: [PageLink("All destinations", request.address(keeping: place.path))]
                + tables.tabs { address(request, of: name, $0) },
            notices: notices, facts: facts(stored, status),
            actions: DestinationForms(
                stored, status, target: address(request, of: name), csrf: request.session.formToken
            ).all,
            blocks: tried + [
                TextBlock(
                    id: "document", heading: "The file",
                    note: "As it was loaded, byte for byte. It names secrets, and has none.", text: stored.document)
            ],
            figures: [days.view(rows) { address(request, of: name, $0) }]
                + tables.figures { address(request, of: name, $0) })
        return responses.html(view)
    }

    /// How a destination is doing.
    ///
    /// - Throws: `Problem` if it is not there.
    func status(of name: DestinationName) async throws -> DestinationStatus {
        guard let status = try await store.destinationStatuses().first(where: { $0.name == name }) else {
            throw Self.unknown
        }
        return status
    }

    /// All days of a destination as a file.
    private func csv(_ wanted: String, of name: DestinationName) async throws -> Response {
        let days = DeliveryDays.plan(name)
        guard wanted == days.id else {
            throw Problem(.invalidParameter, field: "csv", rule: "must be “\(days.id)”")
        }
        return PageResponses.csv(days.csv(try await rows(days.question)), name: "\(name)_\(days.id)")
    }

    private func rows(_ question: FigureQuestion) async throws -> FigureRows {
        FigureRows(names: question.names, rows: try await store.readNow(question))
    }

    private func facts(_ stored: StoredDestination, _ status: DestinationStatus) -> [Fact] {
        let secrets = stored.destination.secrets.map(\.description).joined(separator: ", ")
        var facts = [
            Fact("State", status.stateText), Fact("Since (UTC)", stored.stateSince.shown),
            Fact("Lag", NumberText.duration(seconds: status.lagSeconds)),
            Fact("Sends", "\(stored.destination.method.rawValue) \(stored.destination.url.text)"),
            Fact("Secrets", secrets.isEmpty ? "none" : secrets),
            Fact("Loaded at (UTC)", "\(stored.loadedAt.shown), by \(stored.loadedBy)"),
            Fact("Server that sends", stored.leader.map { "\($0)".lowercased() } ?? "none now"),
        ]
        if let failingSince = stored.failingSince {
            facts.append(Fact("Nothing was taken since (UTC)", failingSince.shown))
        }
        return facts
    }
}
