import ArgumentParser
import AuditTrail
import Destinations
import Forwarding
import PostbackStore
import ServerSettings

/// The command `PostbackServer forward pause`.
struct ForwardPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop sending to a destination, without losing anything.",
        discussion: """
            Servers stop within seconds, and finish what is under way. Events wait in the log, whose days stay meanwhile, up to \
            READER_RETENTION_DAYS.

            Example:
              PostbackServer forward pause branch --reason "they move their endpoint"
            """)

    @Argument(help: "The name of the destination.", transform: OptionValue.destination)
    var name: DestinationName

    @Option(
        help: ArgumentHelp("Why; everybody sees it. (default: by whom)", valueName: "text"),
        transform: OptionValue.name)
    var reason: String?

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let (name, actor) = (name, TrailActor.currentUser)
        let reason = reason ?? "paused by \(actor.description)"
        let state = try await StoreSession.with(options) { store in
            _ = try await store.status(of: name)
            if try await store.pauseDestination(name, reason: reason) {
                try await store.note(TrailEntry(.destinationPause, of: "\(name)", by: actor, at: store.clock()))
            }
            // One that is off stays off.
            return try await store.status(of: name).state
        }
        try StandardOutput.summary("destination \(name): \(state.rawValue); servers see it within seconds")
    }
}

/// The command `PostbackServer forward resume`.
struct ForwardResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Go on with a destination that is paused or off, where it stopped.",
        discussion: """
            What failed before is tried when its time comes; `forward retry` tries dead letters again.

            Example:
              PostbackServer forward resume branch
            """)

    @Argument(help: "The name of the destination.", transform: OptionValue.destination)
    var name: DestinationName

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let name = name
        try await StoreSession.with(options) { store in
            _ = try await store.status(of: name)
            try await store.resumeDestination(name)
            try await store.note(
                TrailEntry(.destinationResumption, of: "\(name)", by: .currentUser, at: store.clock()))
        }
        try StandardOutput.summary("destination \(name): active; servers see it within seconds")
    }
}
