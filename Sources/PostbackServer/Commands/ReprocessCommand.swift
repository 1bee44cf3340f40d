import ArgumentParser
import AuditTrail
import PostbackIngest
import PostbackStore

/// The command `PostbackServer reprocess`.
struct ReprocessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reprocess",
        abstract: "Verify the postbacks in the quarantine again, and count those that now pass.",
        discussion: """
            Run it after a network or a key was added to the key ring, or after an upgrade. A postback is counted on the \
            day on which it was first received.

            Example:
              PostbackServer reprocess --keyring-path /etc/adattribution/keys
            """)

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings.load(options)
        let logger = ProgramLog.makeLogger(settings)
        let keyRing = try settings.keyRing(logger)
        let summary = try await StoreSession.counting(settings, logger, size: 1) { store in
            let summary = try await QuarantineReprocessing(store: store, keyRing: keyRing, logger: logger).run()
            try await store.note(
                TrailEntry(.reprocessing, of: "quarantine", by: .currentUser, at: store.clock(), summary.counts))
            return summary
        }
        try StandardOutput.summary("\(summary)")
    }
}
