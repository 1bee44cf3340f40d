import ArgumentParser
import CampaignData
import ServerSettings
import TabularFiles

/// The command `PostbackServer mapping load`.
struct MappingLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load a mapping file, CSV or NDJSON: all of its rows or none.",
        discussion: """
            A stored row with the same conditions and the same first day is replaced. To load a file twice changes \
            nothing.

            A dry run lists the rows that would be removed or changed. `mapping undo` takes the last load back.

            Examples:
              PostbackServer mapping load mapping.csv
              PostbackServer mapping load --replace mapping.ndjson
              PostbackServer mapping load --dry-run --replace mapping.ndjson
            """)

    @Flag(help: "Remove the rows that the file does not have, of the networks that it names.")
    var replace = false

    @Argument(help: ArgumentHelp("The file.", valueName: "file"))
    var file: String

    @OptionGroup
    var trial: DryRunOption

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let file = TableFile(path: file)
        let (mapping, digest) = try file.mapping()
        let load = try await StoreSession.with(options) { store in
            do {
                return try await store.load(
                    mapping, from: file.source(digest), replacing: replace, ending: trial.ending)
            } catch let refusal as TableErrors {
                throw RefusedFile(path: file.path, refusal: refusal)
            }
        }
        let changes = load.changes
        let removed = replace ? ", \(changes.removed) removed" : ""
        try trial.show(
            load,
            "mapping: \(changes.added) added, \(changes.changed) changed, \(changes.unchanged) unchanged\(removed)")
    }
}
