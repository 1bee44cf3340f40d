import Archives
import ArgumentParser
import AuditTrail
import EventLog
import PostbackStore
import ServerSettings

/// The command `PostbackServer recount`.
struct RecountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recount",
        abstract: "Count every figure again from the rows it is made of, and print each that differs.",
        discussion: """
            Figures and answers are counted again from the state of the postbacks, the sizes of the quarantine from its rows. \
            It is one snapshot and takes no lock, so servers may write meanwhile, also on a cluster. Impressions have no \
            rows, so they are not counted again.

            With --bodies each stored body is verified again first, with the present key ring and on all cores, and compared \
            with the state of its postback.

            Transactions and renewals of the App Store are compared with the bodies of their notifications, as far as \
            these are still there. No signature is verified again.

            With --repair all figures of the campaigns that differ are summed anew, in one transaction. Servers may write \
            meanwhile; folding waits. The state is never changed: what --bodies finds stays, and so does what the \
            App Store told. The trail has who did it.

            It ends with 1 if something differs that was not mended.

            Examples:
              PostbackServer recount
              PostbackServer recount --bodies --keyring-path /etc/adattribution/keys
              PostbackServer recount --repair
            """)

    @Flag(name: .long, help: "Verify all stored bodies again, and compare them with the state.")
    var bodies = false

    @Flag(name: .long, help: "Sum the figures that differ anew.")
    var repair = false

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings.load(options)
        let logger = ProgramLog.makeLogger(settings)
        let keyRing = try bodies ? settings.keyRing(logger) : nil
        let repair = repair
        let left = try await StoreSession.with(settings, logger) { store in
            var left: Int64 = 0
            if let keyRing {
                let summary = try await BodyRecount(store: store, keyRing: keyRing).run { try Self.show("\($0)") }
                try StandardOutput.summary(
                    "recount: \(summary.bodies) bodies verified, \(summary.differences) differences")
                left += summary.differences
            }
            left += try await Self.recountAppStore(store)
            return left + (try await Self.recount(store, repairs: repair))
        }
        if left > 0 { throw RecountDifferences(count: left) }
    }

    /// Compares the App Store's transactions and renewals with the bodies, if there are any.
    ///
    /// - Returns: How many columns differ.
    private static func recountAppStore(_ store: PostbackStore) async throws -> Int64 {
        guard let differences = try await store.recountAppStore({ try show("\($0)") }) else { return 0 }
        try StandardOutput.summary(
            differences == 0
                ? "recount: all transactions and renewals of the App Store are right"
                : "recount: \(differences) values of transactions and renewals of the App Store differ")
        return differences
    }

    /// Recounts the figures, and mends them if asked to; returns how many still differ.
    private static func recount(_ store: PostbackStore, repairs: Bool) async throws -> Int64 {
        let recount = try await store.recount { try show("\($0)") }
        for app in recount.waitingApps {
            try StandardOutput.summary(
                "recount: the answers of app \(app) were left out; they wait to be folded anew: PostbackServer fold")
        }
        guard recount.differences > 0 else {
            try StandardOutput.summary("recount: all figures are right")
            return 0
        }
        guard repairs else {
            try StandardOutput.summary("recount: \(recount.differences) figures differ")
            return recount.differences
        }
        try await store.mendFigures(of: recount.lines)
        try await store.note(
            TrailEntry(
                .repair, of: "figures", by: .currentUser, at: store.clock(),
                [("figures", recount.differences), ("lines", Int64(recount.lines.count))]))
        try StandardOutput.summary("recount: \(recount.differences) figures differed, and were summed anew")
        let again = try await store.recount { try show("\($0)") }
        try StandardOutput.summary(
            again.differences == 0 ? "recount: all figures are right" : "recount: \(again.differences) figures differ")
        return again.differences
    }

    private static func show(_ difference: String) throws { try StandardOutput.line(difference) }
}

/// Figures that differ from the rows they are made of, or bodies that do not fit the state.
struct RecountDifferences: Error, CustomStringConvertible {
    let count: Int64

    var description: String { "\(count) differences were found" }
}
