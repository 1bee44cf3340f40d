import ArgumentParser
import CampaignData
import ServerSettings

/// The command `PostbackServer spend load`.
struct SpendLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load a spend file, CSV or NDJSON: all of its rows or none.",
        discussion: """
            Everything that is stored for a day, network and app of the file is replaced by the rows of the file.

            A dry run lists the campaigns that would lose their cost, and the rows that would be removed or changed. \
            `spend undo` takes the last load back.

            Example:
              PostbackServer spend load spend.csv
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "file"))
    var file: String

    @OptionGroup
    var trial: DryRunOption

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    /// The number of rows that are sent to the database at once.
    private static let rowsOfPart = 5_000

    func run() async throws {
        let file = TableFile(path: file)
        // The file is read twice, so that no row is sent before all are known to be right, and none has to be kept.
        var check = SpendFileCheck()
        let digest = try file.read(SpendRow.self) { try check.take($0, line: $1) }
        let checked = check
        let load = try await StoreSession.with(options) { store in
            try await store.loadSpend(checked, from: file.source(digest), ending: trial.ending) { take in
                guard try Self.read(file, take) == digest else { throw ChangedFileError() }
            }
        }
        try trial.show(load, "spend: \(load.changes.text)")
    }

    /// Passes on the rows in parts; returns the SHA-256 of the file.
    private static func read(_ file: TableFile, _ take: ([SpendRow]) throws -> Void) throws -> [UInt8] {
        var part: [SpendRow] = []
        let digest = try file.read(SpendRow.self) { row, _ in
            part.append(row)
            guard part.count == rowsOfPart else { return }
            try take(part)
            part.removeAll(keepingCapacity: true)
        }
        if !part.isEmpty { try take(part) }
        return digest
    }
}
