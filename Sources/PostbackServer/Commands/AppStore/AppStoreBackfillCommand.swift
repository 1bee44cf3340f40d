import AppStoreClient
import AppStoreEvents
import ArgumentParser
import PostbackStore
import ServerSettings

/// The command `PostbackServer app-store backfill`.
struct AppStoreBackfillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backfill",
        abstract: "Store the notifications of some days that Apple's history has, so that none is missing.",
        discussion: """
            Apple keeps 180 days, of the sandbox 30. Each notification is verified, and stored or refused, as if it were \
            delivered now. What is stored already counts once. If the command is ended, the next run with the same days goes \
            on where it was. If Apple asks for a long pause, the exit code is 75: run it again later.

            Example:
              PostbackServer app-store backfill --bundle-id com.example \\
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
        let (app, days) = (app, days)
        let counts = try await StoreAPISession.with(app, settings, logger) { session in
            // Of the connections one keeps what is refused.
            try await StoreSession.counting(settings, logger, size: 2) { store in
                let backfill = NotificationBackfill(
                    store: store, session: session,
                    backfill: StoreBackfill(
                        bundleID: app.bundleID, environment: app.environment.rawValue, from: days.from, to: days.to),
                    query: days.query)
                return try await backfill.run { counts in
                    if counts.pages.isMultiple(of: 50) { ProgramLog.write("backfill: \(counts)") }
                }
            }
        }
        try StandardOutput.summary("backfill: \(counts)")
    }
}
