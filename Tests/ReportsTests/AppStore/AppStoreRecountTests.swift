import TestSupport
import Testing

@Suite("The recount of the App Store", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct AppStoreRecountTests {
    private let database = TestDatabase.current

    /// A transaction with a value in each field that has a column.
    private static let payload = """
        {"transactionId":"2000000000000001","originalTransactionId":"2000000000000000","bundleId":"com.example.app",\
        "productId":"monthly","subscriptionGroupIdentifier":"7","purchaseDate":1772452800123,\
        "originalPurchaseDate":1769904000000,"expiresDate":1775001600000,"quantity":2,\
        "type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","signedDate":1772452801000,\
        "revocationDate":1772496000000,"revocationReason":1,"revocationType":"REFUND_PRORATED",\
        "revocationPercentage":50000,"isUpgraded":true,"offerType":2,"offerIdentifier":"spring",\
        "offerDiscountType":"PAY_AS_YOU_GO","environment":"Production","storefront":"USA",\
        "transactionReason":"RENEWAL","currency":"USD","price":9990}
        """

    /// Stores the row of `payload`, stated by hand.
    private func storeRow() async throws {
        try await database.run(
            """
            INSERT INTO attribution.store_product (bundle_id, product_id)
            VALUES ('com.example.app', 'monthly'), ('com.example.other', 'monthly'), ('com.example.app', 'yearly')
            ON CONFLICT DO NOTHING;
            DELETE FROM attribution.store_transaction;
            INSERT INTO attribution.store_transaction (
                environment, transaction_id, original_transaction_id, product, purchased_at, originally_purchased_at,
                expires_at, signed_at, received_at, quantity, type, ownership, reason, storefront, currency, price,
                offer_type, offer_id, offer_discount_type, revoked_at, revocation_reason, revocation_type,
                revocation_percentage, is_upgraded, payload_sha256)
            SELECT 'production', '2000000000000001', '2000000000000000', product, '2026-03-02 12:00:00.123+00',
                   '2026-02-01 00:00+00', '2026-04-01 00:00+00', '2026-03-02 12:00:01+00', now(), 2,
                   'Auto-Renewable Subscription', 'PURCHASED', 'RENEWAL', 'USA', 'USD', 9990, 2, 'spring',
                   'PAY_AS_YOU_GO', '2026-03-03 00:00+00', 1, 'REFUND_PRORATED', 50000, true,
                   sha256(convert_to('\(Self.payload)', 'UTF8'))
              FROM attribution.store_product WHERE (bundle_id, product_id) = ('com.example.app', 'monthly')
            """)
    }

    /// Stores a body of a notification.
    private func storeBody(_ body: String, environment: String = "production") async throws {
        try await database.run(
            """
            INSERT INTO attribution.store_body (environment, notification_id, received_at, body)
            SELECT '\(environment)', gen_random_uuid(), now(), convert_to(\(body), 'UTF8')
            """)
    }

    /// A body of version 2 around the payload of a transaction, or of a renewal; nobody has signed it.
    private func signed(_ payload: String, as member: String = "signedTransactionInfo", status: Int? = nil) -> String {
        func jws(_ text: String) -> String {
            "'e30.' || translate(encode(convert_to(\(text), 'UTF8'), 'base64'), E'+/=\\n', '-_') || '.c2ln'"
        }
        let status = status.map { "'status', \($0), " } ?? ""
        let data = "jsonb_build_object('bundleId', 'com.example.app', \(status)'\(member)', \(jws("'\(payload)'")))"
        return "jsonb_build_object('signedPayload', \(jws("jsonb_build_object('data', \(data))::text")))::text"
    }

    private func differences() async throws -> [String?] {
        try await database.column(
            """
            SELECT concat_ws(' ', environment, transaction_id, field, stored, recounted)
              FROM attribution.recount_app_store()
            """)
    }

    @Test("It is clean if the rows are what the bodies say, and names one changed value of each column")
    func columns() async throws {
        try await storeRow()
        #expect(try await differences() == [])
        for _ in 1...2 { try await storeBody(signed(Self.payload)) }
        try await storeBody(#"'{"signedPayload":"e30.eyJub3RpZmljYXRpb25UeXBlIjoiVEVTVCJ9.c2ln"}'"#)
        #expect(try await differences() == [])
        let product = "(SELECT product FROM attribution.store_product WHERE (bundle_id, product_id)"
        for (column, value, field) in [
            ("original_transaction_id", "'x'", nil),
            ("product", "\(product) = ('com.example.other', 'monthly'))", "bundle_id"),
            ("product", "\(product) = ('com.example.app', 'yearly'))", "product_id"),
            ("purchased_at", "purchased_at + interval '1 millisecond'", nil), ("originally_purchased_at", "NULL", nil),
            ("expires_at", "expires_at - interval '1 millisecond'", nil),
            ("signed_at", "signed_at + interval '1 second'", nil),
            ("signed_at", "signed_at - interval '1 second'", nil),
            ("quantity", "1", nil), ("type", "'Consumable'", nil),
            ("ownership", "'FAMILY_SHARED'", nil), ("reason", "'PURCHASE'", nil), ("storefront", "'FRA'", nil),
            ("currency", "'EUR'", nil), ("price", "9991", nil), ("offer_type", "1", nil), ("offer_id", "'autumn'", nil),
            ("offer_discount_type", "'FREE_TRIAL'", nil), ("is_trial", "true", nil), ("revoked_at", "NULL", nil),
            ("revocation_reason", "0", nil), ("revocation_type", "NULL", nil), ("revocation_percentage", "49999", nil),
            ("is_upgraded", "false", nil), ("account_hash", "sha256('')", nil), ("payload_sha256", "sha256('')", nil),
        ] as [(String, String, String?)] {
            try await database.run("UPDATE attribution.store_transaction SET \(column) = \(value)")
            let found = try await database.column("SELECT field FROM attribution.recount_app_store()")
            #expect(found == [field ?? column], "\(column) = \(value)")
            try await storeRow()
        }
        try await database.run("UPDATE attribution.store_transaction SET price = 9991")
        #expect(try await differences() == ["production 2000000000000001 price 9991 9990"])
        try await database.run("DELETE FROM attribution.store_transaction")
        #expect(try await differences() == ["production 2000000000000001 transaction_id 2000000000000001"])
    }

    @Test("The body that was signed last counts, and a row from a later one that is gone is not compared")
    func order() async throws {
        try await storeRow()
        let later = Self.payload.replacing("1772452801000", with: "1772452802000")
        try await storeBody(signed(Self.payload))
        try await storeBody(signed(later.replacing(#""price":9990"#, with: #""price":8990"#)))
        let found = try await database.column("SELECT field FROM attribution.recount_app_store()")
        #expect(found == ["payload_sha256", "price", "signed_at"])
        try await database.run(
            """
            UPDATE attribution.store_transaction
               SET price = 7990, payload_sha256 = sha256('gone'), signed_at = signed_at + interval '1 hour'
            """)
        #expect(try await differences() == [])
        // Another environment has its own row.
        try await storeBody(signed(Self.payload), environment: "development")
        #expect(try await differences() == ["development 2000000000000001 transaction_id 2000000000000001"])
    }

    @Test("A row of version 1 is as one of its bodies has it, cancelled if one says so; signed data counts before it")
    func version1() async throws {
        let transaction = """
            {"transaction_id":"7","original_transaction_id":"6","product_id":"monthly","quantity":"1",\
            "purchase_date_ms":"1772452800000","original_purchase_date_ms":"1769904000000",\
            "expires_date_ms":"1775001600000","in_app_ownership_type":"PURCHASED","is_trial_period":"false"
            """
        for more in ["", #","expires_date_ms":"1775001601000""#, #","cancellation_date_ms":"1772496000000""#] {
            try await storeBody(
                """
                '{"notification_type":"DID_RENEW","bid":"com.example.app","environment":"PROD","password":"removed",\
                "unified_receipt":{"latest_receipt_info":[\(transaction)\(more)}]}}'
                """)
        }
        let row = StoreRow("7") {
            $0.isOfVersion1()
            ($0.original, $0.bought, $0.began, $0.isTrial) = ("6", "2026-03-02 12:00", "2026-02-01", false)
            ($0.expires, $0.revoked) = ("2026-04-01", "2026-03-03")
        }
        try await StoreRow.store([row], in: database)
        #expect(try await differences() == [])
        for (change, fields) in [
            ("price = 1", ["price"]), ("quantity = 2", ["quantity"]), ("is_trial = true", ["is_trial"]),
            ("revoked_at = NULL", ["revoked_at"]), ("expires_at = '2026-04-01 00:00:01+00'", ["expires_at"]),
            // It is signed data now, which version 1 says nothing of.
            ("signed_at = now(), price = 1", []),
        ] as [(String, [String?])] {
            try await database.run("UPDATE attribution.store_transaction SET \(change)")
            let found = try await database.column("SELECT field FROM attribution.recount_app_store()")
            #expect(found == fields, "\(change)")
            try await database.run("DELETE FROM attribution.store_transaction")
            try await StoreRow.store([row], in: database)
        }
        try await database.run("DELETE FROM attribution.store_body WHERE convert_from(body, 'UTF8') LIKE '%cancel%'")
        try await database.run(
            "UPDATE attribution.store_transaction SET revoked_at = NULL, expires_at = '2026-04-01 00:00:01+00'")
        #expect(try await differences() == [])
    }

    @Test("A row of version 1 that is older than all bodies that are still there has lost its own, and is not compared")
    func removedBodies() async throws {
        let row = StoreRow("7") { $0.isOfVersion1() }
        try await StoreRow.store([row], in: database)
        try await storeBody(
            """
            '{"bid":"com.example.app","unified_receipt":{"latest_receipt_info":[\
            {"transaction_id":"7","original_transaction_id":"7","product_id":"monthly","quantity":"3"}]}}'
            """)
        let fields = "SELECT field FROM attribution.recount_app_store() WHERE field = 'quantity'"
        try await database.run("UPDATE attribution.store_transaction SET received_at = now() + interval '1 hour'")
        #expect(try await database.column(fields) == ["quantity"])
        try await database.run("UPDATE attribution.store_transaction SET received_at = now() - interval '1 hour'")
        #expect(try await differences() == [])
    }

    @Test("Bodies with members that PostgreSQL can't hold do not stop it; the others are compared")
    func unreadable() async throws {
        try await storeRow()
        for body in [#"'{"signedPayload":"a.b.c","x":"\u0000"}'"#, "'{\"bid\":1e999999}'", "'{}'"] {
            try await storeBody(body)
        }
        try await storeBody(signed(#"{"transactionId":"1","note":"\u0000"}"#))
        try await storeBody(signed(Self.payload))
        #expect(try await differences() == [])
        try await database.run("UPDATE attribution.store_transaction SET price = 9991")
        #expect(try await differences() == ["production 2000000000000001 price 9991 9990"])
    }

    @Test("Times are exact to the millisecond until the year 9999")
    func times() async throws {
        let times = "SELECT attribution.store_time(text) FROM unnest(ARRAY['253402300799999', '-1', '', NULL]) AS text"
        #expect(
            try await database.column(times) == ["9999-12-31 23:59:59.999+00", "1969-12-31 23:59:59.999+00", nil, nil])
    }

    /// Renewal info with a value in each field that has a column.
    private static let renewal = """
        {"originalTransactionId":"2000000000000000","productId":"monthly","autoRenewProductId":"yearly",\
        "autoRenewStatus":1,"expirationIntent":2,"isInBillingRetryPeriod":true,"gracePeriodExpiresDate":1775606400000,\
        "renewalDate":1775001600000,"renewalPrice":9990,"currency":"USD","priceIncreaseStatus":0,\
        "offerIdentifier":"spring","recentSubscriptionStartDate":1769904000000,"signedDate":1775001601000}
        """

    @Test("Renewals are compared too, each column of them, of version 1 with any of its bodies")
    func renewals() async throws {
        let store = """
            INSERT INTO attribution.store_product (bundle_id, product_id)
            VALUES ('com.example.app', 'monthly'), ('com.example.app', 'yearly') ON CONFLICT DO NOTHING;
            DELETE FROM attribution.store_renewal;
            INSERT INTO attribution.store_renewal (
                environment, original_transaction_id, product, auto_renew_product_id, auto_renew_status,
                expiration_intent, is_in_billing_retry, grace_period_expires_at, renews_at, renewal_price, currency,
                price_increase_status, offer_id, recent_subscription_start_at, status, signed_at, received_at,
                payload_sha256)
            SELECT 'production', '2000000000000000', product, 'yearly', 1, 2, true, '2026-04-08 00:00+00',
                   '2026-04-01 00:00+00', 9990, 'USD', 0, 'spring', '2026-02-01 00:00+00', 4,
                   '2026-04-01 00:00:01+00', now(), sha256(convert_to('\(Self.renewal)', 'UTF8'))
              FROM attribution.store_product WHERE product_id = 'monthly';
            """
        try await database.run(store)
        try await storeBody(signed(Self.renewal, as: "signedRenewalInfo", status: 4))
        #expect(try await differences() == [])
        for change in [
            "auto_renew_product_id = 'monthly'", "auto_renew_status = 0", "expiration_intent = NULL",
            "is_in_billing_retry = false", "grace_period_expires_at = NULL", "renews_at = now()", "renewal_price = 1",
            "currency = 'EUR'", "price_increase_status = 1", "offer_id = NULL",
            "recent_subscription_start_at = NULL", "status = 1", "payload_sha256 = sha256('')",
        ] {
            try await database.run("UPDATE attribution.store_renewal SET \(change)")
            let found = try await database.column("SELECT field FROM attribution.recount_app_store()")
            #expect(found == ["renewal.\(change.prefix { $0 != " " })"], "\(change)")
            try await database.run(store)
        }
        try await database.run("DELETE FROM attribution.store_renewal")
        let missing = "production 2000000000000000 renewal.original_transaction_id 2000000000000000"
        #expect(try await differences() == [missing])

        try await database.run("DELETE FROM attribution.store_body")
        for retry in 0...1 {
            try await storeBody(
                """
                '{"bid":"com.example.app","unified_receipt":{"pending_renewal_info":[\
                {"original_transaction_id":"6","product_id":"monthly","auto_renew_product_id":"monthly",\
                "auto_renew_status":"1","is_in_billing_retry_period":"\(retry)"}]}}'
                """)
        }
        try await database.run(
            """
            INSERT INTO attribution.store_renewal (
                environment, original_transaction_id, product, auto_renew_product_id, auto_renew_status,
                is_in_billing_retry, received_at)
            SELECT 'production', '6', product, 'monthly', 1, true, now()
              FROM attribution.store_product WHERE product_id = 'monthly'
            """)
        #expect(try await differences() == [])
        try await database.run("UPDATE attribution.store_renewal SET auto_renew_status = 0")
        #expect(try await differences() == ["production 6 renewal.auto_renew_status 0 1"])
    }
}
