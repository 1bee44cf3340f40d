import TestSupport

/// A transaction of the App Store as a test states it: a monthly subscription, unless it says something else.
struct StoreRow {
    var environment = "production"
    var id: String
    /// The first transaction of the purchase; nil if this is it.
    var original: String?
    var product = "monthly"
    /// Times are UTC.
    var bought = "2026-03-02"
    var began: String?
    var expires: String?
    /// nil: it is of version 1.
    var signed: String? = "2026-03-02"
    var quantity = 1
    var type: String? = "Auto-Renewable Subscription"
    var ownership = "PURCHASED"
    var reason: String? = "PURCHASE"
    var storefront: String? = "USA"
    var currency: String? = "USD"
    /// In milliunits.
    var price: Int64? = 9_990
    var discount: String?
    var isTrial: Bool?
    var revoked: String?
    var revocationType: String?
    /// In thousandths of a percent.
    var percentage: Int?
    var isUpgraded = false

    init(_ id: String, _ change: (inout StoreRow) -> Void = { _ in }) {
        self.id = id
        change(&self)
    }

    /// What notifications of version 1 do not say.
    mutating func isOfVersion1() {
        (signed, type, reason, storefront, currency, price) = (nil, nil, nil, nil, nil, nil)
        expires = "2027-01-01"
    }

    static func store(_ rows: [StoreRow], in database: TestDatabase) async throws {
        try await database.run(rows.map(\.statement).joined(separator: "\n"))
    }

    private var statement: String {
        func text(_ value: String?) -> String { value.map { "'\($0)'" } ?? "NULL" }
        func time(_ value: String?) -> String { value.map { "timestamp '\($0)' AT TIME ZONE 'UTC'" } ?? "NULL" }
        func plain(_ value: (any CustomStringConvertible)?) -> String { value.map { "\($0)" } ?? "NULL" }
        let values = [
            text(environment), text(id), text(original ?? id), "product", time(bought), time(began ?? bought),
            time(expires), time(signed), "now()", plain(quantity), text(type), text(ownership), text(reason),
            text(storefront), text(currency), plain(price), text(discount), plain(isTrial), time(revoked),
            text(revocationType), plain(percentage), plain(isUpgraded),
        ]
        return """
            INSERT INTO attribution.store_product (bundle_id, product_id) VALUES ('com.example.app', '\(product)')
            ON CONFLICT DO NOTHING;
            INSERT INTO attribution.store_transaction (
                environment, transaction_id, original_transaction_id, product, purchased_at, originally_purchased_at,
                expires_at, signed_at, received_at, quantity, type, ownership, reason, storefront, currency, price,
                offer_discount_type, is_trial, revoked_at, revocation_type, revocation_percentage, is_upgraded)
            SELECT \(values.joined(separator: ", ")) FROM attribution.store_product WHERE product_id = '\(product)';
            """
    }
}
