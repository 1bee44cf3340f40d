import ArgumentParser
import Destinations
import Forwarding
import PostbackStore

/// The command `PostbackServer forward`, and those below it.
struct ForwardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forward",
        abstract: "See how postbacks get to destinations, stop and go on, send again.",
        discussion: """
            Servers send by themselves (docs/forwarding.md). These commands only tell them what to do, through the database.

            Examples:
              PostbackServer forward status
              PostbackServer forward test branch
              PostbackServer forward replay branch --from 2026-11-01 --to 2026-11-03
            """,
        subcommands: [
            ForwardStatusCommand.self, ForwardTestCommand.self, ForwardPauseCommand.self, ForwardResumeCommand.self,
            ForwardRetryCommand.self, ForwardReplayCommand.self,
        ])
}

extension PostbackStore {
    /// How a destination is doing.
    ///
    /// - Throws: `NoDestination`; an error of the database.
    func status(of name: DestinationName) async throws -> DestinationStatus {
        guard let status = try await destinationStatuses().first(where: { $0.name == name }) else {
            throw NoDestination(name: name)
        }
        return status
    }
}
