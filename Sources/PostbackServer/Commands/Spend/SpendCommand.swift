import ArgumentParser

/// The command `PostbackServer spend`.
struct SpendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spend",
        abstract: "Load what ads cost, and currency rates.",
        discussion: "docs/mapping-and-spend.md describes the columns of the files and the rules.",
        subcommands: [
            SpendLoadCommand.self, SpendRatesCommand.self, SpendLoadsCommand.self, SpendUndoCommand.self,
        ])
}
