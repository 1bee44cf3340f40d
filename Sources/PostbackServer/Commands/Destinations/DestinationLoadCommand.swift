import ArgumentParser
import AuditTrail
import Destinations
import Forwarding
import PostbackStore
import ServerSettings

/// The command `PostbackServer destination load`.
struct DestinationLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load destinations into the database, in place of those with the same names.",
        discussion: """
            All files are checked first, and none is loaded if one is refused. Running servers take them within seconds. A new \
            destination gets what is counted from then on; `forward replay` sends earlier days. One that is replaced \
            goes on where it was, paused or off if it was that. Loading a file again changes nothing.

            Examples:
              PostbackServer destination load branch.json \\
                --database-url postgresql:///attribution
              PostbackServer destination load --dry-run *.json
            """)

    @Argument(help: ArgumentHelp("The files, or - for standard input.", valueName: "file"))
    var files: [String]

    @OptionGroup
    var trial: DryRunOption

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let files = try DestinationFiles.read(files)
        let settings = try await Settings.load(options)
        let actor = TrailActor.currentUser
        try await StoreSession.with(settings, ProgramLog.makeLogger(settings)) { store in
            for file in files {
                let name = file.destination.name
                let change = try await store.loadDestination(
                    file.document, by: actor.description, dryRun: trial.dryRun)
                if !trial.dryRun, change != .unchanged {
                    try await store.note(
                        TrailEntry(.destinationLoad, of: "\(name)", by: actor, at: store.clock()))
                }
                try StandardOutput.summary("\(trial.prefix)destination \(name): \(change.word)")
            }
        }
        for file in files {
            for problem in settings.missingSecrets(of: file.destination) {
                ProgramLog.write("notice: destination \(file.destination.name) waits: \(problem)")
            }
        }
    }
}

extension DestinationChange {
    /// What was done, in a word.
    fileprivate var word: String {
        switch self {
        case .added: "added"
        case .changed: "changed"
        case .unchanged: "unchanged"
        }
    }
}
