import Archives
import ArgumentParser
import EventLog
import PostbackService
import PostbackStore
import PostgresClient
import ServerSettings
import StrictJSON

/// The command `PostbackServer archive`.
struct ArchiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive",
        abstract: "Write days of bodies into files and drop them, or put them back.",
        discussion: """
            With --before, each day of writing before a day becomes a file in a folder, one body a line, with a checksum \
            beside it. The file is read back and compared before the day is dropped. A file is never overwritten. A run \
            that was ended goes on when it is started again. With --restore, the bodies of files are put back beside the \
            state of their postbacks. Neither counts anything, and both may run beside servers.

            Examples:
              PostbackServer archive --before 2026-10-01 /var/archive
              PostbackServer archive --before 2026-10-01 --filter 'zstd -q' \\
                --unfilter 'zstd -dq' --suffix .zst /var/archive
              PostbackServer archive --restore --unfilter 'zstd -dq' \\
                /var/archive/bodies-2026-09-*.ndjson.zst
            """)

    @Option(
        help: ArgumentHelp("Archive the days of writing before this day, UTC; at most today.", valueName: "day"),
        transform: OptionValue.day)
    var before: PostgresDate?

    @Flag(help: "Put the bodies of files back.")
    var restore = false

    @Option(help: ArgumentHelp("A shell command that files are written through.", valueName: "command"))
    var filter: String?

    @Option(help: ArgumentHelp("The shell command that undoes the filter.", valueName: "command"))
    var unfilter: String?

    @Option(help: ArgumentHelp("What the names of files end in, if there is a filter.", valueName: "text"))
    var suffix: String?

    @OptionGroup
    var filterVariables: FilterVariables

    @Argument(help: ArgumentHelp("The folder, or the files to put back.", valueName: "path"))
    var paths: [String]

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func validate() throws {
        try filterVariables.check(hasFilter: filter != nil || unfilter != nil)
        guard restore != (before != nil) else {
            throw ValidationError("Either --before or --restore must be given.")
        }
        if restore {
            guard filter == nil, suffix == nil else {
                throw ValidationError("--filter and --suffix are for --before; --restore takes --unfilter.")
            }
            return
        }
        guard paths.count == 1 else { throw ValidationError("--before takes one folder.") }
        guard (filter == nil) == (unfilter == nil) else {
            throw ValidationError("--filter and --unfilter must be given together.")
        }
        guard suffix == nil || filter != nil else { throw ValidationError("--suffix needs --filter.") }
        guard suffix.map({ !$0.contains("/") }) ?? true else { throw ValidationError("--suffix must have no '/'.") }
        if let before, before > .today {
            throw ValidationError("--before must not be after today, \(PostgresDate.today).")
        }
    }

    func run() async throws {
        let settings = try await Settings.load(options)
        let logger = ProgramLog.makeLogger(settings)
        try await StoreSession.with(settings, logger) { store in
            guard let before else { return try await restore(into: store) }
            let session = try await PostgresConnection.connect(StoreSession.configuration(settings), logger: logger)
            do {
                try await archive(before, store, session, settings.service.retention)
                await session.close()
            } catch {
                await session.close()
                throw error
            }
        }
    }

    private func archive(
        _ before: PostgresDate, _ store: PostbackStore, _ session: PostgresConnection, _ rules: RetentionRules
    ) async throws {
        let filter = filter.flatMap { filter in
            unfilter.map { unfilter in
                ArchiveFilter(
                    command: filterVariables.command(filter), inverse: filterVariables.command(unfilter),
                    suffix: suffix ?? "")
            }
        }
        let today = PostgresDate.today
        let archiving = BodyArchiving(try await BodyArchive(store, over: session), in: paths[0], filter: filter) {
            day in
            rules.addressDays.map { today.daysSince2000 - 1 - day.daysSince2000 >= $0 } ?? false
        }
        var days = 0
        var bodies: Int64 = 0
        var held: [String] = []
        try await archiving.run(before: before) { day, outcome in
            switch outcome {
            case .archived(let path, let count):
                days += 1
                bodies += count
                ProgramLog.write("\(day): \(count) bodies in \(JSONText.line(path))")
            case .empty:
                ProgramLog.write("\(day): no bodies")
            case .held(let readers):
                held.append("\(day) (\(readers.joined(separator: " ")))")
            }
        }
        try StandardOutput.summary("archive: \(days) days, \(bodies) bodies")
        if !held.isEmpty { throw HeldDays(days: held) }
    }

    private func restore(into store: PostbackStore) async throws {
        let restoring = BodyRestoring(store, inverse: unfilter.map(filterVariables.command))
        var total = BodyRestoring.Counts()
        for path in paths {
            let counts = try await restoring.run(path) { line, rule in
                total.refused += 1
                if total.refused <= Self.maximumRefusals { ProgramLog.write("\(JSONText.line(path)):\(line): \(rule)") }
                if total.refused == Self.maximumRefusals {
                    ProgramLog.write("more refused lines are counted, not shown")
                }
            }
            total.restored += counts.restored
            total.present += counts.present
        }
        try StandardOutput.summary(
            "restore: \(total.restored) put back, \(total.present) already there, \(total.refused) refused")
        guard total.refused == 0 else { throw RefusedLines(count: total.refused, areKept: false) }
    }

    /// The most refused lines that are shown one by one.
    private static let maximumRefusals = 20
}

/// Days that readers of the log keep.
struct HeldDays: Error, CustomStringConvertible {
    /// The days with the names of their readers.
    let days: [String]

    var description: String {
        "not archived, because readers of the log still need them: \(days.joined(separator: ", "))"
    }
}
