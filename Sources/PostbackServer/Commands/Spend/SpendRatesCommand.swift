import ArgumentParser
import CampaignData

/// The command `PostbackServer spend rates`.
struct SpendRatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rates",
        abstract: "Load currency rates, CSV or NDJSON: all of them or none.",
        discussion: """
            A rate says how many units of a currency one US dollar is. A stored rate of the same currency and day is \
            replaced.

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
        try TableFile(path: file).read(CurrencyRate.self) { try rates.take($0, line: $1) }
        let file = rates
        let load = try await StoreSession.with(options) { try await $0.load(file, ending: trial.ending) }
        try StandardOutput.summary(
            "\(trial.prefix)rates: \(load.added) added, \(load.changed) changed, \(load.unchanged) unchanged")
    }
}
