import Access
import AuditTrail
import Hummingbird
import Observability
import PageRequests
import PageViews
import PostbackStore
import PostgresClient

/// *Trail*: who did what with the service, when and from where.
struct TrailScreen: PageScreen {
    /// The most entries of a page.
    private static let shown: Int32 = 100

    let place = ScreenPlace(path: "/trail", name: "Trail", scope: .operate)
    let store: PostbackStore
    let responses: PageResponses

    func show(_ request: PageRequest) async throws -> Response {
        var question = TrailQuestion()
        if let text = request["before"] {
            guard let before = Int64(text) else {
                let error = PageError("“before” must be the number of an entry.")
                return responses.html(ReportView(request.frame(place.name, errors: [error]), introduction: ""))
            }
            question.before = before
        }
        // One more, to see whether there are more.
        let entries = try await store.trail(question, limit: Self.shown + 1)
        let shown = entries.prefix(Int(Self.shown))
        var tabs: [PageLink] = []
        if question.before != nil { tabs.append(PageLink("Newest", request.address(keeping: place.path))) }
        if entries.count > shown.count, let last = shown.last {
            tabs.append(PageLink("Older", request.address(keeping: place.path, [("before", "\(last.number)")])))
        }
        let view = ReportView(
            request.frame(place.name),
            introduction:
                "What people and programs did, on all servers and by commands. Nobody can change it here. Wrong tokens and "
                + "signing are sums.",
            tabs: tabs,
            figures: [
                FigureView(
                    id: "trail", heading: "Entries",
                    headers: [
                        "Entry", "Time (UTC)", "Since (UTC)", "Action", "Person", "Session", "From", "With", "Counts",
                    ]
                    .map { TableHeader($0) },
                    rows: shown.map { entry in
                        [
                            "\(entry.number)", entry.happenedAt.text, entry.since?.text ?? "–", entry.action,
                            entry.person ?? "–", entry.session ?? "–", entry.origin, entry.subject ?? "–",
                            entry.countsText.isEmpty ? "–" : entry.countsText,
                        ].enumerated().map { TableCell($1, isHeader: $0 == 0) }
                    }, advice: "There is no entry.")
            ])
        return responses.html(view)
    }
}

extension PostgresTimestamp {
    fileprivate var text: String { DayText.moment(LogTimestamp(milliseconds: millisecondsSince1970).rfc3339) }
}
