import ArgumentParser
import CampaignData

/// The command `PostbackServer mapping loads`.
struct MappingLoadsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loads",
        abstract: "List the loads of the mapping, the newest first: when, by whom, what, and the digest of the file.",
        discussion: """
            The last load that was not taken back can be taken back by `mapping undo`.

            Example:
              PostbackServer mapping loads --limit 5
            """)

    @OptionGroup
    var listed: LoadListOptions

    func run() async throws {
        try await LoadCommands.list([.mapping], listed)
    }
}
