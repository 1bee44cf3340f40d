import Archives
import ArgumentParser
import PostbackStore
import ServerSettings

/// The command `PostbackServer import`.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Count the postbacks of archives.",
        discussion: """
            An archive has one postback a line. Its time of receipt is in its member "received-at"; without it, it is \
            now. The import continues where an earlier one was ended, and skips what is done. It knows a file by its size, \
            first and last 64 KiB.

            Examples:
              PostbackServer import archive.ndjson
              PostbackServer import --log-level warning 2026-11-*.ndjson
            """)

    @Argument(help: ArgumentHelp("The archives.", valueName: "file"))
    var files: [String]

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings.load(options)
        let logger = ProgramLog.makeLogger(settings)
        let keyRing = try settings.keyRing(logger)
        let display = ArchiveDisplay()
        // Of the connections one adds dimensions, one folds, and one keeps what is refused.
        let counts = try await StoreSession.counting(settings, logger, size: 3) { store in
            try await ArchiveImport(store: store, keyRing: keyRing, logger: logger)
                .run(files, report: display.show, refused: display.show, known: display.showKnown)
        }
        try display.finish(counts)
        guard counts.refused == 0 else { throw RefusedLines(count: counts.refused) }
    }
}

/// Lines of an archive that were refused.
struct RefusedLines: Error, CustomStringConvertible {
    let count: Int64
    /// Whether they are in the quarantine.
    var areKept = true

    var description: String {
        "\(count) lines were refused" + (areKept ? "; they are in the quarantine, as far as it holds them" : "")
    }
}
