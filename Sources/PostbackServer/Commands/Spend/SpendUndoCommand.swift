import ArgumentParser
import CampaignData

/// The command `PostbackServer spend undo`.
struct SpendUndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Take the last load of costs, or of rates, back: its rows are as before.",
        discussion: """
            It is refused if a row of the load was changed after it, by whatever. Then nothing is changed.

            Examples:
              PostbackServer spend undo
              PostbackServer spend undo 12
            """)

    @OptionGroup
    var taken: LoadUndoOptions

    @Flag(help: "Take currency rates back, and not costs.")
    var rates = false

    func run() async throws {
        try await LoadCommands.undo(rates ? .rates : .spend, taken)
    }
}
