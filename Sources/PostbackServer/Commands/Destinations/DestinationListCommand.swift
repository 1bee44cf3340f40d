import ArgumentParser
import CampaignData
import Destinations
import Forwarding
import PostbackStore
import ServerSettings

/// The command `PostbackServer destination list`.
struct DestinationListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the destinations: name, state, when loaded and by whom, where they send.",
        discussion: """
            `forward status` says how far they are, and what failed.

            Example:
              PostbackServer destination list --database-url postgresql:///attribution
            """)

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let destinations = try await StoreSession.with(options) { try await $0.destinations() }
        let names = ["name", "state", "loaded (UTC)", "by", "sends"]
        var table = AlignedTable(names, isRight: names.map { _ in false })
        try StandardOutput.write(
            table.text(
                destinations.map { stored in
                    [
                        "\(stored.destination.name)", stored.state.rawValue, stored.loadedAt.shown, stored.loadedBy,
                        stored.destination.requestLine,
                    ]
                }))
    }
}
