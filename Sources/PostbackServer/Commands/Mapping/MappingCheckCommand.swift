import ArgumentParser
import CampaignData
import StrictJSON

/// The command `PostbackServer mapping check`.
struct MappingCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read a mapping file and say what is wrong, without a database.",
        discussion: """
            It does not compare the rows with those that are stored; `load --dry-run` does.

            Example:
              PostbackServer mapping check mapping.csv
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "file"))
    var file: String

    func run() throws {
        let mapping = try CampaignMappingFile(TableFile(path: file))
        try StandardOutput.line("\(JSONText.line(file)): \(mapping.entries.count) rows, nothing is wrong")
    }
}

extension CampaignMappingFile {
    /// Reads a mapping file, and checks its rows against each other.
    ///
    /// - Throws: `UnreadableFile`, `RefusedFile`.
    init(_ file: TableFile) throws {
        var entries: [Entry] = []
        try file.read(CampaignMapping.self) { entries.append(Entry($0, line: $1)) }
        self = try file.refusing { try CampaignMappingFile(entries) }
    }
}
