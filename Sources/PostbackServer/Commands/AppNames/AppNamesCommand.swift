import ArgumentParser
import CampaignData
import PostgresClient
import ServerSettings
import TabularFiles

/// The command `PostbackServer app-names`.
struct AppNamesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-names",
        abstract: "Say what people call apps; postbacks have their ids only.",
        discussion: "docs/mapping-and-spend.md describes the columns of a file.",
        subcommands: [
            AppNamesLoadCommand.self, AppNamesListCommand.self, LoadsCommand<Self>.self, UndoCommand<Self>.self,
        ])
}

extension AppNamesCommand: LoadingCommand {
    static let kind = LoadKind.appNames
    static let loaded = "names of apps"
}

/// The command `PostbackServer app-names load`.
struct AppNamesLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load names of apps, CSV or NDJSON: all of them or none.",
        discussion: """
            A stored name of the same app is replaced.

            A dry run lists the names that would be removed or changed. `app-names undo` takes the last load back.

            Examples:
              PostbackServer app-names load app-names.csv
              PostbackServer app-names load --dry-run --replace app-names.csv
            """)

    @Flag(help: "Remove the names of all apps that the file does not have.")
    var replace = false

    @Argument(help: ArgumentHelp("The file.", valueName: "file"))
    var file: String

    @OptionGroup
    var trial: DryRunOption

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        var names = AppNameFile()
        let file = TableFile(path: file)
        let digest = try file.read(AppName.self) { try names.take($0, line: $1) }
        let (read, source) = (names, file.source(digest))
        let load = try await StoreSession.with(options) {
            try await $0.load(read, from: source, replacing: replace, ending: trial.ending)
        }
        let changes = load.changes
        let removed = replace ? ", \(changes.removed) removed" : ""
        try trial.show(
            load,
            "app names: \(changes.added) added, \(changes.changed) changed, \(changes.unchanged) unchanged\(removed)")
    }
}

/// The command `PostbackServer app-names list`.
struct AppNamesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Write the names of apps as CSV, as `load` reads them.",
        discussion: """
            Example:
              PostbackServer app-names list > app-names.csv
            """)

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let names = try await StoreSession.with(options) { try await $0.appNames() }
        let columns = CSVText.row(AppName.Column.allCases.map(\.name))
        let rows = names.map { CSVText.row($0.fields.map(CSVText.withoutFormula)) }
        try StandardOutput.write(([columns] + rows).joined())
    }
}
