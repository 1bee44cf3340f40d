import AppStoreData
import AppStoreEvents
import ArgumentParser
import AuditTrail
import PostbackIngest
import PostbackStore
import PostgresClient
import ServerSettings

/// The command `PostbackServer reprocess`.
struct ReprocessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reprocess",
        abstract: "Verify what is in the quarantine again, and count what now passes.",
        discussion: """
            Run it after a network, an app or a key was added to the key ring, or after an upgrade. A postback is \
            counted on the day on which it was first received. If the key ring has the member app-store, notifications \
            of the App Store are verified again, too, but not those with a wrong secret.

            Example:
              PostbackServer reprocess --keyring-path /etc/adattribution/keys
            """)

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings.load(options)
        let logger = ProgramLog.makeLogger(settings)
        let folder = try settings.keyRingFolder(logger)
        let keyRing = folder.keyRing
        let summaries = try await StoreSession.counting(settings, logger, size: 1) { store -> [String] in
            let summary = try await QuarantineReprocessing(store: store, keyRing: keyRing, logger: logger).run()
            try await store.note(
                TrailEntry(.reprocessing, of: "quarantine", by: .currentUser, at: store.clock(), summary.counts))
            guard let trust = folder.store else { return ["\(summary)"] }
            let notifications = try await store.reprocessNotifications(
                verifier: SignedDataVerifier(trust: trust), now: store.clock().millisecondsSince1970)
            try await store.note(
                TrailEntry(
                    .reprocessing, of: "notifications", by: .currentUser, at: store.clock(), notifications.counts))
            return ["\(summary)", "\(notifications)"]
        }
        for summary in summaries { try StandardOutput.summary(summary) }
    }
}
