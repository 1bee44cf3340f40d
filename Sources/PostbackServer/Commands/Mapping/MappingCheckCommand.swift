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
        let mapping = try TableFile(path: file).mapping().file
        try StandardOutput.line("\(JSONText.line(file)): \(mapping.entries.count) rows, nothing is wrong")
    }
}

extension TableFile {
    /// Reads a mapping file, and checks its rows against each other.
    ///
    /// - Returns: The rows, and the SHA-256 of the file.
    /// - Throws: `UnreadableFile`, `RefusedFile`.
    func mapping() throws -> (file: CampaignMappingFile, digest: [UInt8]) {
        var entries: [CampaignMappingFile.Entry] = []
        let digest = try read(CampaignMapping.self) { entries.append(CampaignMappingFile.Entry($0, line: $1)) }
        return (try refusing { try CampaignMappingFile(entries) }, digest)
    }
}
