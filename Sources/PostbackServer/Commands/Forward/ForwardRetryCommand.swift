import ArgumentParser
import AuditTrail
import Destinations
import Forwarding
import PostbackStore
import ServerSettings

/// The command `PostbackServer forward retry`.
struct ForwardRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Try the dead letters of a destination again: all, or some.",
        discussion: """
            They go through the whole schedule of retries again, with the requests that they were made with. So neither the log \
            nor the body must still be there.

            Examples:
              PostbackServer forward retry branch
              PostbackServer forward retry branch --event 0-42185168781313-2
            """)

    @Argument(help: "The name of the destination.", transform: OptionValue.destination)
    var name: DestinationName

    @Option(
        name: .customLong("event"),
        help: ArgumentHelp(
            "An event, as `forward status` shows it; several times for several. (default: all)", valueName: "event"),
        transform: { text in
            guard let key = DeliveryKey(text) else {
                throw ValidationError(
                    "--event must be an event as `forward status` shows it, not '\(text.prefix(60))'.")
            }
            return key
        })
    var events: [DeliveryKey] = []

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let (name, events) = (name, events)
        let count = try await StoreSession.with(options) { store in
            _ = try await store.status(of: name)
            let count = try await store.retryDead(name, events.isEmpty ? .all : .keys(events))
            try await store.note(
                TrailEntry(
                    .deliveryRetry, of: "\(name)", by: .currentUser, at: store.clock(),
                    [("deliveries", Int64(count))]))
            return count
        }
        try StandardOutput.summary("destination \(name): \(count) dead letters are tried again")
    }
}
