import AppStoreClient
import AppStoreData
import ArgumentParser
import ServerSettings

/// The command `PostbackServer app-store history`.
struct AppStoreHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show all transactions of the customer of a transaction, as Apple has them now.",
        discussion: """
            Nothing is stored. A text that is not Apple's is refused, and then the exit code is 65.

            Example:
              PostbackServer app-store history --bundle-id com.example \\
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
            var table = AlignedTable(
                [
                    "transaction", "product", "purchased", "reason", "ownership", "quantity", "price", "currency",
                    "revoked",
                ],
                isRight: [false, false, false, false, false, true, true, false, false])
            var refused = 0
            var pages = session.client.transactionPages(of: transaction)
            while let page = try await pages.next() {
                var rows: [[String?]] = []
                for jws in page.signedTransactions {
                    do throws(SignedDataError) {
                        rows.append(Self.row(try session.transaction(jws)))
                    } catch {
                        refused += 1
                        ProgramLog.write("refused: \(error.reason.rawValue): \(error)")
                    }
                }
                try StandardOutput.write(table.text(rows))
            }
            return refused
        }
        if refused > 0 { throw RefusedStoreData(count: refused) }
    }

    private static func row(_ transaction: StoreTransaction) -> [String?] {
        let percentage = transaction.revocationPercentage.map { " \(AppStoreText.amount($0)) %" } ?? ""
        return [
            transaction.transactionID, transaction.productID, AppStoreText.time(transaction.purchasedAt),
            transaction.reason, transaction.ownership, String(transaction.quantity),
            transaction.price.map(AppStoreText.amount), transaction.currency,
            transaction.revokedAt.map { AppStoreText.time($0) + percentage },
        ]
    }
}
