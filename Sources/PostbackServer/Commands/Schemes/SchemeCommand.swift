import ArgumentParser
import CampaignData

/// The command `PostbackServer scheme`, and those below it.
struct SchemeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scheme",
        abstract: "Say what conversion values mean: check, load, list, show, import and export schemes.",
        discussion: """
            A scheme is a JSON file that says what the values of one app mean during one validity. \
            docs/schemes.md describes it.

            Examples:
              PostbackServer scheme check examples/scheme.json
              PostbackServer scheme load 2026-*.json \\
                --database-url postgresql:///attribution
              PostbackServer scheme import --from meta --app-id 525463029 \\
                --valid-from 2026-10-01 config.json
            """,
        subcommands: [
            SchemeCheckCommand.self, SchemeLoadCommand.self, SchemeListCommand.self, SchemeShowCommand.self,
            SchemeImportCommand.self, SchemeExportCommand.self, LoadsCommand<Self>.self, UndoCommand<Self>.self,
        ])
}

extension SchemeCommand: LoadingCommand {
    static let kind = LoadKind.scheme
    static let loaded = "schemes"
    static let obstacle = ", or if one of its schemes is in use"
}
