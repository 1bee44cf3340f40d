import ArgumentParser
import CampaignData
import Foundation

/// The command `PostbackServer spend load`.
struct SpendLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load a spend file, CSV or NDJSON: all of its rows or none.",
        discussion: """
            Everything that is stored for a day, network and app of the file is replaced by the rows of the file.

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
        try file.read(SpendRow.self) { try check.take($0, line: $1) }
        let name = URL(fileURLWithPath: file.path).lastPathComponent
        let checked = check
        let load = try await StoreSession.with(options) { store in
            try await store.loadSpend(checked, file: name, ending: trial.ending) { try Self.read(file, $0) }
        }
        try StandardOutput.summary("\(trial.prefix)spend: \(load.loaded) rows loaded, \(load.replaced) rows replaced")
    }

    private static func read(_ file: TableFile, _ take: ([SpendRow]) throws -> Void) throws {
        var part: [SpendRow] = []
        try file.read(SpendRow.self) { row, _ in
            part.append(row)
            guard part.count == rowsOfPart else { return }
            try take(part)
            part.removeAll(keepingCapacity: true)
        }
        if !part.isEmpty { try take(part) }
    }
}
