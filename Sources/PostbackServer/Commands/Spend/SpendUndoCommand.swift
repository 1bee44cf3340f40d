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

    @Argument(
        help: ArgumentHelp(
            "The load that is meant, which must be the last one. (default: the last one)", valueName: "load"))
    var load: Int64?

    @Flag(help: "Take currency rates back, and not costs.")
    var rates = false

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        try await LoadCommands.undo(rates ? .rates : .spend, load, options)
    }
}
