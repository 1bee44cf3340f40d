import ArgumentParser
import CampaignData

/// The command `PostbackServer scheme undo`.
struct SchemeUndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Take the last load of schemes back: its rows are as before.",
        discussion: """
            It is refused if a row of the load was changed after it, or if one of its schemes is in use. \
            Then nothing is changed.

            Examples:
              PostbackServer scheme undo
              PostbackServer scheme undo 12
            """)

    @OptionGroup
    var taken: LoadUndoOptions

    func run() async throws {
        try await LoadCommands.undo(.scheme, taken)
    }
}
