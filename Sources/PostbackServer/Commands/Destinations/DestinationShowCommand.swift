import ArgumentParser
import Destinations
import Forwarding
import PostbackStore
import ServerSettings

/// The command `PostbackServer destination show`.
struct DestinationShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the file of a destination, byte for byte as it was loaded.",
        discussion: """
            It names secrets, and has none.

            Example:
              PostbackServer destination show branch > branch.json
            """)

    @Argument(help: "The name of the destination.", transform: OptionValue.destination)
    var name: DestinationName

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let stored = try await StoreSession.with(options) { try await $0.destination(name) }
        try StandardOutput.write(stored.document)
    }
}

extension PostbackStore {
    /// The destination of this name.
    ///
    /// - Throws: `NoDestination`; `UnreadableDestination`; an error of the database.
    func destination(_ name: DestinationName) async throws -> StoredDestination {
        if let stored = try await destinations().first(where: { $0.destination.name == name }) { return stored }
        _ = try await status(of: name)
        throw UnreadableDestination(name: name)
    }
}
