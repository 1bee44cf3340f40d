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

    @Argument(
        help: ArgumentHelp(
            "The load that is meant, which must be the last one. (default: the last one)", valueName: "load"))
    var load: Int64?

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        try await LoadCommands.undo(.scheme, load, options)
    }
}
