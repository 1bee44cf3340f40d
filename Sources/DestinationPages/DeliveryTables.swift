import CampaignData
import Destinations
import Forwarding
import PageRequests
import PageViews
import PostbackStore
import PostgresClient

/// The deliveries of a destination that failed: a table of those that wait, and one of dead letters, which has pages.
struct DeliveryTables {
    /// The most rows of a table.
    private static let shown = 100

    private let waiting: [DeliveryRow]
    private let dead: [DeliveryRow]
    /// Whether there are older dead letters.
    private let hasMore: Bool
    /// Whether the dead letters begin behind one that the address names.
    private let isLaterPage: Bool
    private let status: DestinationStatus

    /// What is wrong with the address.
    let errors: [PageError]

    /// Reads the rows.
    init(_ request: PageRequest, of status: DestinationStatus, in store: PostbackStore) async throws {
        self.status = status
        let text = request["before"]
        let place = text.flatMap { DeliveryKey($0) }
        errors = text != nil && place == nil ? [PageError("“before” must be what this page gave.")] : []
        isLaterPage = place != nil
        waiting = try await store.deliveries(of: status.name, state: .waiting, limit: Self.shown)
        // One more, to see whether there are more.
        let found = try await store.deliveries(of: status.name, state: .dead, limit: Self.shown + 1, before: place)
        dead = Array(found.prefix(Self.shown))
        hasMore = found.count > Self.shown
    }

    /// Links to other pages of the dead letters.
    ///
    /// - Parameter address: The address of the page of the destination with other parameters.
    func tabs(_ address: ([(name: String, value: String?)]) -> String) -> [PageLink] {
        var tabs: [PageLink] = []
        if isLaterPage { tabs.append(PageLink("Newest dead letters", address([]))) }
        if hasMore, let last = dead.last {
            tabs.append(PageLink("Older dead letters", address([("before", "\(last.key)")])))
        }
        return tabs
    }

    /// Both tables.
    ///
    /// - Parameter address: The address of a delivery.
    func figures(_ address: (DeliveryKey) -> String) -> [FigureView] {
        [
            figure(
                "waiting", "Waiting for another attempt, the last ones first", waiting, of: status.waiting,
                time: "Next attempt (UTC)",
                address, advice: "Nothing waits: what was sent was taken, or is a dead letter.", \.nextAt),
            figure(
                "dead", "Dead letters, the last ones first", dead, of: status.dead, time: "First failed (UTC)", address,
                advice: isLaterPage
                    ? "There is no older dead letter. Go back to the newest." : "There is no dead letter."
            ) { $0.firstFailedAt },
        ]
    }

    private func figure(
        _ id: String, _ heading: String, _ rows: [DeliveryRow], of count: Int64, time: String,
        _ address: (DeliveryKey) -> String, advice: String, _ moment: (DeliveryRow) -> PostgresTimestamp?
    ) -> FigureView {
        FigureView(
            id: id, heading: heading,
            remark: rows.count < count
                ? "\(rows.count) of \(NumberText.decimal("\(count)", places: 0))." : nil,
            headers: [
                TableHeader("Delivery"), TableHeader(time), TableHeader("Attempts", isNumber: true),
                TableHeader("Status", isNumber: true), "Reason", "Event", "Transaction",
            ],
            rows: rows.map { row in
                [
                    TableCell("\(row.key)", link: address(row.key), isHeader: true),
                    TableCell(moment(row)?.shown ?? "–"), .count(Int64(row.attempt)),
                    TableCell(row.lastStatus.map { "\($0)" } ?? "–", exact: row.lastStatus.map { "\($0)" } ?? ""),
                    TableCell(row.lastError ?? "–"), TableCell(row.kind),
                    TableCell("\(row.transactionID)".lowercased()),
                ]
            }, advice: advice)
    }
}
