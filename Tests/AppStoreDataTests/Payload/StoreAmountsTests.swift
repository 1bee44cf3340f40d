import AdAttribution
import Testing

@testable import AppStoreData

/// Gross, refunded and net in exact milliunits.
@Suite("Amounts of transactions")
struct StoreAmountsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let transaction: StoreTransaction
        let gross: Int64?
        let refunded: Int64?
        let net: Int64?

        init(
            _ name: String, _ gross: Int64?, _ refunded: Int64?, _ net: Int64?,
            _ change: (inout StoreTransaction) -> Void
        ) {
            testDescription = name
            var transaction = StoreTransaction(
                environment: .test, transactionID: "1", originalTransactionID: "1", bundleID: "com.example",
                productID: "a", purchasedAt: 0)
            (transaction.currency, transaction.price) = ("USD", 9_990)
            change(&transaction)
            self.transaction = transaction
            (self.gross, self.refunded, self.net) = (gross, refunded, net)
        }
    }

    static let rows = [
        Row("a purchase", 9_990, 0, 9_990) { _ in },
        Row("three at once", 9_990, 0, 9_990) { $0.quantity = 3 },
        Row("a family share", 0, 0, 0) { $0.ownership = "FAMILY_SHARED" },
        Row("a family share that ended", 0, 0, 0) { ($0.ownership, $0.revokedAt) = ("FAMILY_SHARED", 1) },
        Row("a free trial", 0, 0, 0) { $0.offerDiscountType = "FREE_TRIAL" },
        Row("a free trial of V1", 0, 0, 0) { ($0.price, $0.isTrial) = (nil, true) },
        Row("a cheaper offer", 4_990, 0, 4_990) { ($0.price, $0.offerDiscountType) = (4_990, "PAY_AS_YOU_GO") },
        Row("no price", nil, nil, nil) { $0.price = nil },
        Row("a price without a currency", nil, nil, nil) { $0.currency = nil },
        Row("a free trial without a currency", 0, 0, 0) { ($0.currency, $0.offerDiscountType) = (nil, "FREE_TRIAL") },
        Row("no price, and cancelled", nil, nil, nil) { ($0.price, $0.revokedAt) = (nil, 1) },
        Row("a price of 0", 0, 0, 0) { ($0.price, $0.revokedAt) = (0, 1) },
        Row("a full refund", 9_990, 9_990, 0) { $0.revokedAt = 1 },
        Row("a full refund, said so", 9_990, 9_990, 0) { ($0.revokedAt, $0.revocationPercentage) = (1, 100_000) },
        Row("a prorated refund", 9_990, 3_330, 6_660) { ($0.revokedAt, $0.revocationPercentage) = (1, 33_333) },
        Row("a refund of nothing", 9_990, 0, 9_990) { ($0.revokedAt, $0.revocationPercentage) = (1, 0) },
        Row("a half milliunit", 5, 3, 2) { ($0.price, $0.revokedAt, $0.revocationPercentage) = (5, 1, 50_000) },
        Row("less than a half", 5, 2, 3) { ($0.price, $0.revokedAt, $0.revocationPercentage) = (5, 1, 49_999) },
        Row("half of several", 14_985, 7_493, 7_492) {
            ($0.price, $0.quantity, $0.revokedAt, $0.revocationPercentage) = (14_985, 3, 1, 50_000)
        },
        Row("a refund that was reversed", 9_990, 0, 9_990) { $0.revocationPercentage = 50_000 },
        Row("the greatest", 9_000_000_000_000_000_000, 4_500_090_000_000_000_000, 4_499_910_000_000_000_000) {
            ($0.price, $0.quantity) = (9_000_000_000_000_000_000, 1_000_000)
            ($0.revokedAt, $0.revocationPercentage) = (1, 50_001)
        },
    ]

    @Test("Each has its gross, refunded and net amount", arguments: rows)
    func amounts(_ row: Row) {
        #expect(row.transaction.gross == row.gross)
        #expect(row.transaction.refunded == row.refunded)
        #expect(row.transaction.net == row.net)
    }

    @Test("Rounding is that of whole numbers, for every percentage of a small amount")
    func rounding() {
        for gross in Int64(-3)...12 {
            for percentage in stride(from: Int64(0), through: 100_000, by: 1_250) {
                let double = 2 * gross * percentage
                let expected = (double + (double < 0 ? -100_000 : 100_000)) / 200_000
                #expect(
                    StoreAmounts.refunded(gross: gross, revokedAt: 1, revocationPercentage: percentage) == expected)
            }
        }
    }

    @Test("The greatest amount of 64 bits is taken, and a percentage beyond all is all")
    func outside() {
        #expect(StoreAmounts.gross(price: .max, ownership: nil, offerDiscountType: nil, isTrial: nil) == .max)
        #expect(StoreAmounts.refunded(gross: .max, revokedAt: 1, revocationPercentage: .max) == .max)
        #expect(StoreAmounts.refunded(gross: 7, revokedAt: 1, revocationPercentage: -1) == 0)
    }
}
