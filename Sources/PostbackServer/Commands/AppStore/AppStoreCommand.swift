import ArgumentParser

/// The command `PostbackServer app-store`, and those below it.
struct AppStoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-store",
        abstract: "Ask Apple's App Store Server API: test deliveries, fetch missed notifications, look things up.",
        discussion: """
            The key ring's member app-store.api has the key of an app (docs/app-store-api.md). Everything that Apple answers \
            is verified as notifications are.

            Examples:
              PostbackServer app-store test --bundle-id com.example
              PostbackServer app-store backfill --bundle-id com.example \\
                --from 2026-10-01 --to 2026-10-31
              PostbackServer app-store reconcile --bundle-id com.example \\
                --from 2026-10-01 --to 2026-10-31
              PostbackServer app-store status --bundle-id com.example \\
                --transaction 2000000123456789
            """,
        subcommands: [
            AppStoreTestCommand.self, AppStoreBackfillCommand.self, AppStoreHistoryCommand.self,
            AppStoreStatusCommand.self, AppStoreReconcileCommand.self,
        ])
}
