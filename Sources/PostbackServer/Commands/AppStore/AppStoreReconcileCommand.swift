import AppStoreClient
import ArgumentParser
import PostbackStore
import ServerSettings
import StrictJSON

/// The command `PostbackServer app-store reconcile`.
struct AppStoreReconcileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        abstract: "Compare Apple's history of some days with what is stored, and print each difference.",
        discussion: """
            It names notifications that are missing, and transactions in the history that are missing, older or have other \
            amounts here. Nothing is changed: `app-store backfill` stores what is missing. If something differs, the exit \
            code is 1.

            Example:
              PostbackServer app-store reconcile --bundle-id com.example \\
                --from 2026-10-01 --to 2026-10-31
            """)

    @OptionGroup
    var app: AppStoreOptions

    @OptionGroup
    var days: AppStoreDays

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func validate() throws { try days.check(app.environment) }

    func run() async throws {
        let settings = try await Settings.load(options)
        let logger = ProgramLog.makeLogger(settings)
        let (app, query) = (app, days.query)
        let counts = try await StoreAPISession.with(app, settings, logger) { session in
            try await StoreSession.with(settings, logger) { store in
                try await NotificationReconciliation(store: store, session: session, query: query).run {
                    try StandardOutput.line(JSONText.line($0))
                }
            }
        }
        try StandardOutput.summary("reconcile: \(counts)")
        if counts.differences > 0 { throw StoreDifferences(count: counts.differences) }
    }
}
