import ArgumentParser
import CampaignData

/// The command `PostbackServer scheme loads`.
struct SchemeLoadsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loads",
        abstract: "List the loads of schemes, the newest first: when, by whom, what, and the digest of the file.",
        discussion: """
            The last load that was not taken back can be taken back by `scheme undo`.

            Example:
              PostbackServer scheme loads --limit 5
            """)

    @OptionGroup
    var listed: LoadListOptions

    func run() async throws {
        try await LoadCommands.list([.scheme], listed)
    }
}
