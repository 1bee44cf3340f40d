import ArgumentParser
import CampaignData

/// The command `PostbackServer spend`.
struct SpendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spend",
        abstract: "Load what ads cost, and currency rates.",
        discussion: "docs/mapping-and-spend.md describes the columns of the files and the rules.",
        subcommands: [
            SpendLoadCommand.self, SpendRatesCommand.self, LoadsCommand<Self>.self, SpendUndoCommand.self,
        ])
}

extension SpendCommand: LoadingCommand {
    static let kind = LoadKind.spend
    static let otherKinds = [LoadKind.rates]
    static let loaded = "costs and rates"
}
