import Archives
import ArgumentParser
import PostgresClient
import ServerSettings

/// The command `PostbackServer reconcile`.
struct ReconcileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        abstract: "Compare the other side's archive with the postbacks here; count nothing.",
        discussion: """
            A network compares a developer's copies with its postbacks, a developer a network's archive with the copies. The \
            archive has one postback a line, as for `import`. Each line is verified; lines of networks and apps that the key \
            ring does not have are left out. The views attribution.report_copy_agreement and attribution.copy_difference \
            show the result. To compare an archive again replaces its result.

            Examples:
              PostbackServer reconcile their-archive.ndjson
              PostbackServer reconcile copies.ndjson \\
                --first-day 2026-10-01 --last-day 2026-10-31
            """)

    @Argument(help: ArgumentHelp("The archive.", valueName: "file"))
    var file: String

    @Option(help: "Whose archive it is, network or developer. Without it the postbacks tell it.")
    var side: ArchiveSide?

    @Option(
        help: ArgumentHelp(
            "The first day that the archive covers, UTC. Without it its times tell it.", valueName: "day"),
        transform: OptionValue.day)
    var firstDay: PostgresDate?

    @Option(
        help: ArgumentHelp("The last day that the archive covers, UTC.", valueName: "day"), transform: OptionValue.day)
    var lastDay: PostgresDate?

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func validate() throws {
        guard (firstDay == nil) == (lastDay == nil) else {
            throw ValidationError("--first-day and --last-day must be given together.")
        }
        if let firstDay, let lastDay, lastDay < firstDay {
            throw ValidationError("--last-day must not be before --first-day.")
        }
    }

    func run() async throws {
        let knowledge = ArchiveKnowledge(
            side: side, days: firstDay.flatMap { first in lastDay.map { first...$0 } })
        let settings = try await Settings.load(options)
        let logger = ProgramLog.makeLogger(settings)
        let keyRing = try settings.keyRing(logger)
        let display = ArchiveDisplay()
        let (archive, agreement) = try await StoreSession.with(settings, logger) { store in
            // A session of its own: it holds the archive in temporary tables.
            let session = try await PostgresConnection.connect(Self.configuration(settings), logger: logger)
            do {
                let result = try await ArchiveReconciliation(store: store, over: session, keyRing: keyRing)
                    .run(file, knowing: knowledge, report: display.show, refused: display.show)
                await session.close()
                return result
            } catch {
                await session.close()
                throw error
            }
        }
        try StandardOutput.summary("\(AgreementText(archive, agreement))")
        guard archive.refused == 0 else { throw RefusedLines(count: archive.refused, areKept: false) }
    }

    /// Large sorts and joins, which nobody waits for.
    private static func configuration(_ settings: Settings) -> PostgresConfiguration {
        var configuration = StoreSession.configuration(settings)
        configuration.sessionSettings += [(name: "work_mem", value: "64MB"), (name: "jit", value: "off")]
        return configuration
    }
}

extension ArchiveSide: ExpressibleByArgument {}
