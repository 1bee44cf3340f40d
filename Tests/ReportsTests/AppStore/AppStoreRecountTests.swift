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

    /// A body of version 2 around the payload of a transaction; nobody has signed it.
    private func signed(_ payload: String) -> String {
        func jws(_ text: String) -> String {
            "'e30.' || translate(encode(convert_to(\(text), 'UTF8'), 'base64'), E'+/=\\n', '-_') || '.c2ln'"
        }
        let transaction = "jsonb_build_object('signedTransactionInfo', \(jws("'\(payload)'")))"
        return "jsonb_build_object('signedPayload', \(jws("jsonb_build_object('data', \(transaction))::text")))::text"
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
}
