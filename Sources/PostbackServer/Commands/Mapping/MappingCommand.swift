import ArgumentParser
import CampaignData

/// The command `PostbackServer mapping`.
struct MappingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mapping",
        abstract: "Say what operators call the campaigns behind campaign ids and source identifiers.",
        discussion: "docs/mapping-and-spend.md describes the columns of a file and the rules.",
        subcommands: [
            MappingLoadCommand.self, MappingCheckCommand.self, MappingListCommand.self, MappingAllocateCommand.self,
            MappingRetireCommand.self, LoadsCommand<Self>.self, UndoCommand<Self>.self,
        ])
}

extension MappingCommand: LoadingCommand {
    static let kind = LoadKind.mapping
    static let loaded = "the mapping"
}
