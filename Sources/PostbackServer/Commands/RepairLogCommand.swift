import ArgumentParser
import EventLog
import ServerSettings

/// The command `PostbackServer repair-log`.
struct RepairLogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair-log",
        abstract: "Write events again that are missing in the log.",
        discussion: """
            Each postback has a row of state, and each delivery that counted has a body and an event in the log. Reports and \
            exports are made from the log. This command compares the three on all days whose log is there. It writes events \
            that are missing again, from state and bodies, and sums the figures of their campaigns anew. Servers may run \
            meanwhile. It may be broken off, and run again.

            Each event comes to its old place. A reader of the log that has passed the place does not read it, so no reader \
            reads an event twice. The command says how many events named readers have passed.

            It ends with 65 if something is left that it can't mend, or with --dry-run if something is missing.

            Examples:
              PostbackServer repair-log --dry-run
              PostbackServer repair-log
            """)

    @Flag(name: .long, help: "Compare, and say what is missing; change nothing.")
    var dryRun = false

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let dryRun = dryRun
        let repair = try await StoreSession.with(options) { try await $0.repairLog(isDry: dryRun) }
        let done = dryRun ? "" : ", \(repair.written) written"
        try StandardOutput.summary("repair-log: \(repair.missing) events missing\(done)")
        for (reader, count) in repair.passed.sorted(by: { $0.key < $1.key }) {
            try StandardOutput.summary("repair-log: the reader \(reader) has passed \(count) of them")
        }
        if repair.unknown > 0 {
            try StandardOutput.summary(
                "repair-log: \(repair.unknown) can't be written: their bodies do not say which postback was raised")
        }
        let left = dryRun ? Int64(repair.missing) : repair.left
        if left > 0 { throw LogDifferences(count: left) }
    }
}

/// State, bodies and log do not fit together.
struct LogDifferences: Error, CustomStringConvertible {
    let count: Int64

    var description: String {
        "state, bodies and log do not fit together in \(count) places: tools/recount-log.sql shows them"
    }
}
