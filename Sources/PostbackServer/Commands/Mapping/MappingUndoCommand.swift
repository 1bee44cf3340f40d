import ArgumentParser
import CampaignData

/// The command `PostbackServer mapping undo`.
struct MappingUndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Take the last load of the mapping back: its rows are as before.",
        discussion: """
            It is refused if a row of the load was changed after it, by whatever. Then nothing is changed.

            Examples:
              PostbackServer mapping undo
              PostbackServer mapping undo 12
            """)

    @OptionGroup
    var taken: LoadUndoOptions

    func run() async throws {
        try await LoadCommands.undo(.mapping, taken)
    }
}
