import Archives
import ArgumentParser
import EventLog
import PostbackStore
import PostgresClient
import ServerSettings

/// The command `PostbackServer export`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write every event of the log as NDJSON: into files of a folder, or to standard output.",
        discussion: """
            Each line is what happened to a postback: accepted, raised, or in conflict. A folder gets whole files, \
            events-000000001.ndjson and so on, and cursor.json, which says how far they go. A run goes on where the last one \
            ended, however that ended; no event is missing or there twice. With - the lines go to standard output.
            With --kind app-store each line is a notification of the App Store, for a folder or a cursor of its own.

            Examples:
              PostbackServer export /var/events
              PostbackServer export --follow --reader warehouse /var/events
              PostbackServer export --follow --cursor /var/lib/kcat/cursor.json - \\
                | kcat -P -b localhost -t postbacks
              PostbackServer export --from 2026-11-01 - \\
                | duckdb -c "SELECT count(*) FROM read_json('/dev/stdin')"
              PostbackServer export --kind app-store /var/notifications
            """)

    @Option(help: ArgumentHelp("What is exported: postbacks or app-store.", valueName: "kind"))
    var kind = ExportKind.postbacks

    @Flag(help: "With --kind app-store: each line has its body, in which there are ids of customers.")
    var bodies = false

    @Flag(help: "Never end: wait for more events.")
    var follow = false

    @Option(
        help: ArgumentHelp(
            "A named reader of the log: days stay until they are exported, as long as READER_RETENTION_DAYS allows.",
            valueName: "name"),
        transform: OptionValue.reader)
    var reader: LogReaderName?

    @Option(
        help: ArgumentHelp(
            "Where a new export begins: the first event that was written on this day, UTC, or later. Without it, with the "
                + "oldest event.", valueName: "day"),
        transform: OptionValue.day)
    var from: PostgresDate?

    @Option(help: ArgumentHelp("With -: the file that keeps the cursor.", valueName: "file"))
    var cursor: String?

    @Option(help: ArgumentHelp("How many events a file has, about.", valueName: "number"))
    var fileEvents = 1_000_000

    @Option(help: ArgumentHelp("With --follow: after how many seconds a file is finished.", valueName: "seconds"))
    var fileSeconds = 60

    @Option(help: ArgumentHelp("A shell command that files are written through.", valueName: "command"))
    var filter: String?

    @Option(help: ArgumentHelp("What the names of files end in, if there is a filter.", valueName: "text"))
    var suffix: String?

    @OptionGroup
    var filterVariables: FilterVariables

    @Argument(help: ArgumentHelp("The folder, or - for standard output.", valueName: "folder"))
    var folder: String

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    private var isStream: Bool { folder == "-" }

    func validate() throws {
        guard kind == .postbacks || (reader == nil && from == nil) else {
            throw ValidationError("--reader and --from are for postbacks. Notifications are never dropped.")
        }
        guard kind == .appStore || !bodies else {
            throw ValidationError("--bodies is for --kind app-store. Postbacks always have theirs.")
        }
        guard isStream || cursor == nil else {
            throw ValidationError("--cursor is for standard output, -. A folder keeps its cursor itself.")
        }
        guard !isStream || (filter == nil && suffix == nil) else {
            throw ValidationError("--filter and --suffix are for a folder. Use a pipe.")
        }
        try filterVariables.check(hasFilter: filter != nil)
        guard suffix == nil || filter != nil else { throw ValidationError("--suffix needs --filter.") }
        guard suffix.map({ !$0.contains("/") }) ?? true else { throw ValidationError("--suffix must have no '/'.") }
        guard reader == nil || !isStream || cursor != nil else {
            throw ValidationError("--reader needs --cursor, so that what it has read is known.")
        }
        guard (1...1_000_000_000).contains(fileEvents) else {
            throw ValidationError("--file-events must be an integer from 1 to 1000000000, not \(fileEvents).")
        }
        guard (1...86_400).contains(fileSeconds) else {
            throw ValidationError("--file-seconds must be an integer from 1 to 86400, not \(fileSeconds).")
        }
    }

    func run() async throws {
        let settings = try await Settings.load(options)
        let logger = ProgramLog.makeLogger(settings)
        try await StoreSession.counting(settings, logger, size: 1) { store in
            let target: any EventTarget =
                isStream
                ? try EventStream(cursorPath: cursor, of: kind)
                : try SegmentFolder(
                    folder, of: kind, filter: filter.map(filterVariables.command), suffix: suffix ?? "")
            let options = EventExport.Options(
                isFollowing: follow, commitEvents: fileEvents, commitInterval: .seconds(follow ? fileSeconds : 86_400))
            let export = EventExport(
                store, to: target, reader: reader.map { store.logReader(named: $0) }, options: options, logger: logger,
                reading: kind == .appStore ? notifications(store) : nil)
            let before = target.events
            let start: LogCursor
            if let from { start = try await store.cursor(at: from) } else { start = .start }
            try await export.run(from: start)
            ProgramLog.write("export: \(target.events - before) events, \(target.events) in all")
        }
    }

    /// The greatest number of notifications that are read at once with their bodies, each of at most 1 MiB.
    private static let bodiesAtOnce = 200

    private func notifications(_ store: PostbackStore) -> EventExport.Reading {
        let hasBodies = bodies
        return { cursor, limit in
            try await store.notificationPage(
                after: cursor, limit: hasBodies ? min(limit, Self.bodiesAtOnce) : limit, hasBodies: hasBodies)
        }
    }
}

extension ExportKind: ExpressibleByArgument {}
