import ArgumentParser
import CampaignData
import PostgresClient
import TabularFiles

/// The command `PostbackServer app-names`.
struct AppNamesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-names",
        abstract: "Say what people call apps; postbacks have their ids only.",
        discussion: "docs/mapping-and-spend.md describes the columns of a file.",
        subcommands: [AppNamesLoadCommand.self, AppNamesListCommand.self])
}

/// The command `PostbackServer app-names load`.
struct AppNamesLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load names of apps, CSV or NDJSON: all of them or none.",
        discussion: """
            A stored name of the same app is replaced.

            Example:
              PostbackServer app-names load app-names.csv
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
        try TableFile(path: file).read(AppName.self) { try names.take($0, line: $1) }
        let (file, isReplacing) = (names, replace)
        let load = try await StoreSession.with(options) {
            try await $0.load(file, replacing: isReplacing, ending: trial.dryRun ? .rollback : .commit)
        }
        let removed = replace ? ", \(load.removed) removed" : ""
        try StandardOutput.summary(
            "\(trial.prefix)app names: \(load.added) added, \(load.changed) changed, \(load.unchanged) unchanged"
                + removed)
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
