import ArgumentParser
import AuditTrail
import Destinations
import Forwarding
import PostbackStore
import PostgresClient
import ServerSettings

/// The command `PostbackServer forward replay`.
struct ForwardReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Send the events of some days to a destination once more.",
        discussion: """
            The days are UTC days of writing, whose log and bodies must still be there. A reader of its own reads them, so the \
            destination goes on with new events meanwhile, which come first. Each event has the webhook-id that it had; \
            filter and form are those of the present file. One replay of a destination runs at a time.

            Example:
              PostbackServer forward replay branch --from 2026-11-01 --to 2026-11-03
            """)

    @Argument(help: "The name of the destination.", transform: OptionValue.destination)
    var name: DestinationName

    @Option(help: ArgumentHelp("The first day.", valueName: "day"), transform: OptionValue.day)
    var from: PostgresDate

    @Option(help: ArgumentHelp("The last day, included.", valueName: "day"), transform: OptionValue.day)
    var to: PostgresDate

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func validate() throws {
        guard from <= to else { throw ValidationError("--from must not be after --to.") }
    }

    func run() async throws {
        let (name, from, to) = (name, from, to)
        try await StoreSession.with(options) { store in
            _ = try await store.status(of: name)
            try await store.replay(name, from: from, to: to)
            try await store.note(
                TrailEntry(
                    .deliveryReplay, of: "\(name) from \(from) to \(to)", by: .currentUser, at: store.clock()))
        }
        try StandardOutput.summary(
            "destination \(name): \(from) to \(to) are sent once more; `forward status` shows how far")
    }
}
