import ArgumentParser

/// The command `PostbackServer mapping`.
struct MappingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mapping",
        abstract: "Say what operators call the campaigns behind campaign ids and source identifiers.",
        discussion: "docs/mapping-and-spend.md describes the columns of a file and the rules.",
        subcommands: [
            MappingLoadCommand.self, MappingCheckCommand.self, MappingListCommand.self, MappingAllocateCommand.self,
            MappingRetireCommand.self, MappingLoadsCommand.self, MappingUndoCommand.self,
        ])
}
