import AdAttribution
import Testing

@testable import AppStoreData

/// The three states of a customer for each product and each subscription group, as the talk defines them.
@Suite("Entitlements")
struct EntitlementTests {
    private static let now: Int64 = 1_000

    private static func transaction(
        _ product: String, group: String? = nil, original: String = "1", at: Int64 = 100, until: Int64? = nil
    ) -> StoreTransaction {
        var transaction = StoreTransaction(
            environment: .test, transactionID: "\(original)-\(at)", originalTransactionID: original,
            bundleID: "com.example", productID: product, purchasedAt: at)
        transaction.subscriptionGroup = group
        transaction.expiresAt = until
        return transaction
    }

    private static func renewal(_ original: String = "1", grace: Int64? = nil, retry: Bool = false) -> StoreRenewal {
        var renewal = StoreRenewal(environment: .test, originalTransactionID: original, productID: "monthly")
        renewal.gracePeriodExpiresAt = grace
        renewal.isInBillingRetry = retry
        return renewal
    }

    /// The states of the product `monthly` and of its group.
    private func states(
        _ transactions: [StoreTransaction], _ renewals: [StoreRenewal] = []
    ) -> [Entitlement.State] {
        entitlement(
            transactions: transactions, renewal: renewals, at: Self.now, products: ["monthly"], groups: ["plans"]
        ).map(\.state)
    }

    @Test("A customer without transactions is new for what is asked, and for nothing else")
    func new() {
        #expect(states([]) == [.new, .new])
        #expect(entitlement(transactions: [], renewal: [], at: Self.now).isEmpty)
    }

    @Test("A subscription is active until it expires, and inactive then")
    func expiry() {
        #expect(states([Self.transaction("monthly", group: "plans", until: 1_001)]) == [.active, .active])
        #expect(states([Self.transaction("monthly", group: "plans", until: 1_000)]) == [.inactive, .inactive])
        #expect(states([Self.transaction("monthly", group: "plans", at: 1_001, until: 2_000)]) == [.new, .new])
    }

    @Test("A renewal makes it active again, whatever the order")
    func renewals() {
        let periods = [
            Self.transaction("monthly", group: "plans", until: 500),
            Self.transaction("monthly", group: "plans", at: 500, until: 1_500),
        ]
        #expect(states(periods) == [.active, .active])
        #expect(states(periods.reversed()) == [.active, .active])
    }

    @Test("A revoked transaction is inactive from then on, whether it was refunded or a family share that ended")
    func revoked() {
        var transaction = Self.transaction("monthly", group: "plans", until: 2_000)
        transaction.revokedAt = 999
        #expect(states([transaction]) == [.inactive, .inactive])
        transaction.ownership = "FAMILY_SHARED"
        #expect(states([transaction]) == [.inactive, .inactive])
        transaction.revokedAt = 1_001
        #expect(states([transaction]) == [.active, .active])
    }

    @Test("A grace period keeps an expired subscription active; billing retry alone does not")
    func grace() {
        let expired = Self.transaction("monthly", group: "plans", until: 900)
        #expect(states([expired], [Self.renewal(grace: 1_001, retry: true)]) == [.active, .active])
        #expect(states([expired], [Self.renewal(grace: 1_000, retry: true)]) == [.inactive, .inactive])
        #expect(states([expired], [Self.renewal(retry: true)]) == [.inactive, .inactive])
        #expect(states([expired], [Self.renewal("2", grace: 1_001)]) == [.inactive, .inactive])
    }

    @Test("A grace period does not bring back a period that was refunded")
    func graceOfRefunded() {
        var last = Self.transaction("monthly", group: "plans", at: 500, until: 900)
        last.revokedAt = 950
        let first = Self.transaction("monthly", group: "plans", until: 500)
        #expect(states([first, last], [Self.renewal(grace: 1_001)]) == [.inactive, .inactive])
    }

    @Test("After a change to a higher plan the product is inactive, and the group is active")
    func upgraded() {
        var lower = Self.transaction("monthly", group: "plans", until: 2_000)
        lower.isUpgraded = true
        let higher = Self.transaction("premium", group: "plans", at: 200, until: 2_000)
        let found = entitlement(transactions: [lower, higher], renewal: [], at: Self.now)
        #expect(
            found == [
                Entitlement(subject: .product("monthly"), state: .inactive),
                Entitlement(subject: .product("premium"), state: .active),
                Entitlement(subject: .group("plans"), state: .active),
            ])
    }

    @Test("A grace period is that of the higher plan, though the lower one would have lasted longer")
    func graceOfUpgraded() {
        var lower = Self.transaction("monthly", group: "plans", until: 2_000)
        lower.isUpgraded = true
        let higher = Self.transaction("premium", group: "plans", at: 200, until: 900)
        let found = entitlement(transactions: [lower, higher], renewal: [Self.renewal(grace: 1_001)], at: Self.now)
        #expect(
            found == [
                Entitlement(subject: .product("monthly"), state: .inactive),
                Entitlement(subject: .product("premium"), state: .active),
                Entitlement(subject: .group("plans"), state: .active),
            ])
    }

    @Test("A purchase without an end stays active, and a consumable gives nothing that lasts")
    func oneTime() {
        var coins = Self.transaction("coins", original: "3")
        coins.type = "Consumable"
        let found = entitlement(
            transactions: [Self.transaction("unlock", original: "2"), coins], renewal: [], at: Self.now)
        #expect(found == [Entitlement(subject: .product("unlock"), state: .active)])
    }
}
