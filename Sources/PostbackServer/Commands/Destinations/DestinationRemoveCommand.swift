import ArgumentParser
import AuditTrail
import Destinations
import Forwarding
import PostbackStore
import ServerSettings

/// The command `PostbackServer destination remove`.
struct DestinationRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a destination, its reader of the log, and all deliveries that failed.",
        discussion: """
            What was not delivered yet is not sent any more, and days of the log that only this destination kept may be \
            dropped. To stop it for a while, use `forward pause`. What was sent stays in attribution.report_delivery.

            Example:
              PostbackServer destination remove branch
            """)

    @Argument(help: "The name of the destination.", transform: OptionValue.destination)
    var name: DestinationName

    @OptionGroup
    var trial: DryRunOption

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let (name, isTrial) = (name, trial.dryRun)
        let lost = try await StoreSession.with(options) { store in
            let status = try await store.status(of: name)
            guard !isTrial else { return status }
            guard try await store.removeDestination(name) else { throw NoDestination(name: name) }
            try await store.note(
                TrailEntry(.destinationRemoval, of: "\(name)", by: .currentUser, at: store.clock()))
            return status
        }
        try StandardOutput.summary(
            "\(trial.prefix)destination \(name) removed; it was \(Int64(lost.lagSeconds)) s behind, "
                + "\(lost.waiting) deliveries waited, and \(lost.dead) were dead letters")
    }
}
