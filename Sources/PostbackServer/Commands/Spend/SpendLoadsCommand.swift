import ArgumentParser
import CampaignData

/// The command `PostbackServer spend loads`.
struct SpendLoadsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loads",
        abstract:
            "List the loads of costs and rates, the newest first: when, by whom, what, and the digest of the file.",
        discussion: """
            The last load that was not taken back can be taken back by `spend undo`.

            Example:
              PostbackServer spend loads --limit 5
            """)

    @OptionGroup
    var listed: LoadListOptions

    func run() async throws {
        try await LoadCommands.list([.spend, .rates], listed)
    }
}
