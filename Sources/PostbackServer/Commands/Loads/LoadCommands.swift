import ArgumentParser
import AuditTrail
import CampaignData
import Glibc
import ServerSettings

/// A command below which files are loaded, loads are listed, and the last one is taken back.
protocol LoadingCommand: ParsableCommand {
    /// What is loaded and taken back.
    static var kind: LoadKind { get }
    /// What else is listed.
    static var otherKinds: [LoadKind] { get }
    /// What is loaded, in words, such as `names of apps`.
    static var loaded: String { get }
    /// What else stops `undo`, as the end of a sentence; empty if nothing does.
    static var obstacle: String { get }
}

extension LoadingCommand {
    static var otherKinds: [LoadKind] { [] }
    static var obstacle: String { "" }

    /// The name on the command line.
    fileprivate static var name: String { configuration.commandName ?? "" }
}

/// The subcommand `loads`.
struct LoadsCommand<Command: LoadingCommand>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "loads",
            abstract:
                "List the loads of \(Command.loaded), the newest first: when, by whom, what, and the digest of the file.",
            discussion: """
                The last load that was not taken back can be taken back by `\(Command.name) undo`.

                Example:
                  PostbackServer \(Command.name) loads --limit 5
                """)
    }

    @OptionGroup
    var listed: LoadListOptions

    func run() async throws {
        try await LoadCommands.list([Command.kind] + Command.otherKinds, listed)
    }
}

/// The subcommand `undo`, which takes back what is of one kind.
struct UndoCommand<Command: LoadingCommand>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "undo",
            abstract: "Take the last load of \(Command.loaded) back: its rows are as before.",
            discussion: """
                It is refused if a row of the load was changed after it, by whatever\(Command.obstacle). Then nothing \
                is changed.

                Examples:
                  PostbackServer \(Command.name) undo
                  PostbackServer \(Command.name) undo 12
                """)
    }

    @OptionGroup
    var taken: LoadUndoOptions

    func run() async throws {
        try await LoadCommands.undo(Command.kind, taken)
    }
}

/// What the commands `loads` and `undo` do.
enum LoadCommands {
    /// Prints the loads of these kinds, the newest first.
    static func list(_ kinds: [LoadKind], _ options: LoadListOptions) async throws {
        let loads = try await StoreSession.with(options.settings) {
            try await $0.loads(of: kinds, limit: options.limit)
        }
        let names = [
            "load", "kind", "time (UTC)", "by", "added", "changed", "unchanged", "removed", "state", "files", "SHA-256",
        ]
        var table = AlignedTable(names, isRight: names.indices.map { $0 == 0 || (4...7).contains($0) })
        let text = table.text(
            loads.map { load in
                let changes = load.changes
                return [
                    "\(load.load)", load.kind.rawValue, load.loadedAt.shown, load.author, "\(changes.added)",
                    "\(changes.changed)", "\(changes.unchanged)", "\(changes.removed)", load.state, load.files,
                    load.digests,
                ]
            })
        try StandardOutput.write(text)
    }

    /// Takes the last load of a kind back, and says which that was.
    static func undo(_ kind: LoadKind, _ options: LoadUndoOptions) async throws {
        let load = try await StoreSession.with(options.settings) {
            try await $0.takeBack(kind, options.load, by: .currentUser)
        }
        try StandardOutput.summary("taken back: \(load.text): \(load.changes.text)")
    }
}

/// The options of the commands `loads`.
struct LoadListOptions: ParsableArguments {
    @Option(help: "The most loads.")
    var limit: Int32 = 50

    @OptionGroup(title: "Settings")
    var settings: SettingsOptions

    func validate() throws {
        if limit < 1 { throw ValidationError("--limit must be 1 or more, not \(limit).") }
    }
}

/// The arguments of the commands `undo`.
struct LoadUndoOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The load that is meant, which must be the last one. (default: the last one)", valueName: "load"))
    var load: Int64?

    @OptionGroup(title: "Settings")
    var settings: SettingsOptions
}

extension TrailActor {
    /// The user of the machine who runs this command; the number of one without a name.
    static var currentUser: TrailActor {
        let number = geteuid()
        guard let entry = getpwuid(number), let name = entry.pointee.pw_name else { return .systemUser("\(number)") }
        return .systemUser(String(cString: name))
    }
}
