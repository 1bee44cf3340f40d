import AppStoreClient
import AppStoreData
import ArgumentParser
import ServerSettings

/// The command `PostbackServer app-store status`.
struct AppStoreStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the subscriptions of the customer of a transaction, as Apple has them now.",
        discussion: """
            Nothing is stored. A text that is not Apple's is refused, and then the exit code is 65.

            Example:
              PostbackServer app-store status --bundle-id com.example \\
                --transaction 2000000123456789
            """)

    @OptionGroup
    var app: AppStoreOptions

    @Option(help: ArgumentHelp("Any transaction of the customer.", valueName: "id"))
    var transaction: String

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings.load(options)
        let logger = ProgramLog.makeLogger(settings)
        let transaction = transaction
        let refused = try await StoreAPISession.with(app, settings, logger) { session in
            let statuses = try await session.client.subscriptionStatuses(of: transaction)
            var refused = 0
            var rows: [[String?]] = []
            for subscription in statuses.subscriptions {
                do throws(SignedDataError) {
                    rows.append(try Self.row(subscription, session))
                } catch {
                    refused += 1
                    ProgramLog.write("refused: \(error.reason.rawValue): \(error)")
                }
            }
            var table = AlignedTable(
                [
                    "group", "original", "status", "product", "expires", "renews", "next product", "next price",
                    "currency",
                ],
                isRight: [false, false, false, false, false, false, false, true, false])
            try StandardOutput.write(table.text(rows))
            return refused
        }
        if refused > 0 { throw RefusedStoreData(count: refused) }
    }

    private static func row(
        _ subscription: SubscriptionStatuses.Subscription, _ session: StoreAPISession
    ) throws(SignedDataError) -> [String?] {
        var transaction: StoreTransaction?
        if let jws = subscription.signedTransaction { transaction = try session.transaction(jws) }
        var renewal: StoreRenewal?
        if let jws = subscription.signedRenewal { renewal = try session.renewal(jws) }
        let renews = renewal?.autoRenewStatus.map { $0 == 1 ? "yes" : "no" }
        return [
            subscription.group, subscription.originalTransactionID, subscription.status.map(AppStoreText.status),
            transaction?.productID, transaction?.expiresAt.map(AppStoreText.time), renews,
            renewal?.autoRenewProductID, renewal?.renewalPrice.map(AppStoreText.amount), renewal?.currency,
        ]
    }
}
