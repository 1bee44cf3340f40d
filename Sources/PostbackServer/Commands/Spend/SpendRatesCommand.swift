import ArgumentParser
import CampaignData
import ServerSettings

/// The command `PostbackServer spend rates`.
struct SpendRatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rates",
        abstract: "Load currency rates, CSV or NDJSON: all of them or none.",
        discussion: """
            A rate says how many units of a currency one US dollar is. A stored rate of the same currency and day is \
            replaced. `spend undo --rates` takes the last load back.

            Example:
              PostbackServer spend rates rates.csv
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "file"))
    var file: String

    @OptionGroup
    var trial: DryRunOption

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        var rates = CurrencyRateFile()
        let file = TableFile(path: file)
        let digest = try file.read(CurrencyRate.self) { try rates.take($0, line: $1) }
        let (read, source) = (rates, file.source(digest))
        let load = try await StoreSession.with(options) {
            try await $0.load(read, from: source, ending: trial.ending)
        }
        let changes = load.changes
        try trial.show(
            load, "rates: \(changes.added) added, \(changes.changed) changed, \(changes.unchanged) unchanged")
    }
}
