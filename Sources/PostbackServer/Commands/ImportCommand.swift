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
            first and last 64 KiB. A file that was read to its end is skipped if no line was refused. Else it is read \
            again from its beginning.

            Examples:
              PostbackServer import archive.ndjson
              PostbackServer import --again archive.ndjson
              PostbackServer import --log-level warning 2026-11-*.ndjson
            """)

    @Flag(
        help: ArgumentHelp(
            "Read the files from their beginning, also if they were read before.",
            discussion: "What was counted is a duplicate then, and a conflict counts as a conflict once more."))
    var again = false

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
                .run(files, again: again, report: display.show, refused: display.show, begun: display.show)
        }
        try display.finish(counts)
        let refused = counts.now.refused + counts.before.refused
        guard refused == 0 else { throw RefusedLines(count: refused, before: counts.before.refused) }
    }
}

/// Lines of an archive that were refused.
struct RefusedLines: Error, CustomStringConvertible {
    let count: Int64
    /// How many of them an earlier run has refused.
    var before: Int64 = 0
    /// Whether they are in the quarantine.
    var areKept = true

    var description: String {
        "\(count) lines were refused" + (before > 0 ? ", \(before) of them by an earlier run" : "")
            + (areKept ? "; they are in the quarantine, as far as it holds them" : "")
    }
}
