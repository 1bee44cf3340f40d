import ArgumentParser
import CampaignData
import Destinations
import Forwarding
import PostbackStore
import PostgresClient
import ServerSettings

/// The command `PostbackServer forward status`.
struct ForwardStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how far each destination is, and what failed; of one also its failed deliveries.",
        discussion: """
            The lag is the age of the oldest event that was not sent yet. Waiting deliveries failed and are tried again, dead \
            ones are not. Sent, failed attempts and new dead letters are those of 24 hours. A delivery that \
            failed goes where the file said that the destination had then.

            Examples:
              PostbackServer forward status
              PostbackServer forward status branch --limit 5
            """)

    @Argument(
        help: ArgumentHelp("A destination, whose failed deliveries are shown too.", valueName: "name"),
        transform: OptionValue.destination)
    var name: DestinationName?

    @Option(help: "The most waiting and the most dead deliveries that are shown.")
    var limit = 20

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func validate() throws {
        guard (1...1_000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000, not \(limit).") }
    }

    func run() async throws {
        let (name, limit) = (name, limit)
        let (statuses, waiting, dead, loadedAt) = try await StoreSession.with(options) {
            store -> ([DestinationStatus], [DeliveryRow], [DeliveryRow], PostgresTimestamp?) in
            guard let name else { return (try await store.destinationStatuses(), [], [], nil) }
            return (
                [try await store.status(of: name)],
                try await store.deliveries(of: name, state: .waiting, limit: limit),
                try await store.deliveries(of: name, state: .dead, limit: limit),
                try await store.destinations().first { $0.destination.name == name }?.loadedAt
            )
        }
        try StandardOutput.write(Self.table(of: statuses))
        for status in statuses {
            for remark in status.remarks { try StandardOutput.line("\(status.name): \(remark)") }
        }
        for (title, rows) in [("waiting", waiting), ("dead letters", dead)] where !rows.isEmpty {
            try StandardOutput.line("\n\(title):")
            try StandardOutput.write(Self.table(of: rows, loadedAt: loadedAt))
        }
    }

    private static func table(of statuses: [DestinationStatus]) -> String {
        let names = ["destination", "state", "lag", "waiting", "dead", "sent 24 h", "failed 24 h", "dead 24 h"]
        var table = AlignedTable(names, isRight: names.indices.map { $0 > 1 })
        return table.text(
            statuses.map { status in
                [
                    "\(status.name)", status.state.rawValue, "\(Int64(status.lagSeconds)) s",
                    "\(status.waiting)", "\(status.dead)", "\(status.sentDay)", "\(status.failedDay)",
                    "\(status.deadDay)",
                ]
            })
    }

    /// - Parameter loadedAt: When the destination's file was loaded; nil if this build can't read it.
    private static func table(of rows: [DeliveryRow], loadedAt: PostgresTimestamp?) -> String {
        let names = [
            "event", "transaction", "attempts", "first failed (UTC)", "next (UTC)", "status", "error", "file", "URL",
        ]
        var table = AlignedTable(names, isRight: names.indices.map { $0 == 2 || $0 == 5 })
        return table.text(
            rows.map { row in
                [
                    row.eventID, "\(row.transactionID)".lowercased(), "\(row.attempt)", row.firstFailedAt.shown,
                    row.nextAt?.shown, row.lastStatus.map { "\($0)" }, row.lastError,
                    loadedAt.map { row.firstFailedAt < $0 ? "earlier" : "present" },
                    // A query may be as long as a body.
                    String(row.request.url.prefix { $0 != "?" }),
                ]
            })
    }
}

extension DestinationStatus {
    /// What the columns do not say.
    fileprivate var remarks: [String] {
        var remarks: [String] = []
        if let stateReason { remarks.append("\(state.rawValue): \(stateReason)") }
        if let problem { remarks.append(problem) }
        if isBreakerOpen { remarks.append("its last attempts failed, so one probe a minute is sent") }
        if let replay { remarks.append("replay: \(replay.text)") }
        return remarks
    }
}
