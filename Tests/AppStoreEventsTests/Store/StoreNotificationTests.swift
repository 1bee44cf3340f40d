import AdAttribution
import AppStoreData
import PostbackStore
import PostgresClient
import StrictJSON
import TestSupport
import Testing

@testable import AppStoreEvents

@Suite("Notifications of the App Store", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct StoreNotificationTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let appStore: MadeUpStore

    init() throws {
        appStore = try MadeUpStore()
    }

    private static let counts = """
        SELECT concat_ws(' ', (SELECT count(*) FROM attribution.store_notification),
                         (SELECT count(*) FROM attribution.store_body),
                         (SELECT count(*) FROM attribution.store_transaction),
                         (SELECT sum(position) FROM attribution.store_lane))
        """

    /// Deliveries of so many notifications of a lane, each with a transaction of its own.
    private func many(_ count: Int, lane: Int = 0) throws -> [NotificationDelivery] {
        try (0..<count).map { number in
            try appStore.delivery(
                appStore.body(
                    "SUBSCRIBED", id: MadeUpStore.id(lane: lane),
                    transaction: appStore.transaction("\(lane)-\(number)", ["productId": .string("\(number)")])))
        }
    }

    /// Lets a trigger act before transactions are stored.
    private func trigger(_ statements: String, each: String = "STATEMENT") async throws {
        try await database.run(
            """
            CREATE SEQUENCE attribution.attempt;
            CREATE FUNCTION attribution.act() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                \(statements)
                RETURN NEW;
            END $$;
            CREATE TRIGGER act BEFORE INSERT ON attribution.store_transaction
                FOR EACH \(each) EXECUTE FUNCTION attribution.act();
            """)
    }

    @Test("A notification counts once, in one batch and in three", arguments: [false, true])
    func thrice(_ isOneBatch: Bool) async throws {
        let delivery = try many(1)[0]
        if isOneBatch {
            #expect(
                try await store.record([delivery, delivery, delivery]) == [.accepted, .duplicate, .duplicate])
        } else {
            #expect(try await store.record([delivery]) == [.accepted])
            #expect(try await store.record([delivery]) == [.duplicate])
            #expect(try await store.record([delivery]) == [.duplicate])
        }
        #expect(try await database.value(Self.counts) == "1 1 1 1")
    }

    @Test("A notification that comes again with other data is a duplicate, and its newer transaction counts")
    func otherBody() async throws {
        let id = MadeUpStore.id()
        let deliveries = try [0, 10].map { second in
            try appStore.delivery(
                appStore.body(
                    "SUBSCRIBED", id: id, at: second,
                    transaction: appStore.transaction("1", signedAt: second, ["price": .integer(second)])))
        }
        #expect(try await store.record([deliveries[0]]) == [.accepted])
        #expect(try await store.record([deliveries[1], deliveries[0]]) == [.duplicate, .duplicate])
        #expect(try await database.value("SELECT count(*) FROM attribution.store_notification") == "1")
        #expect(try await database.value("SELECT price FROM attribution.store_transaction") == "10")
    }

    @Test("Positions are those of the commits of a lane")
    func positions() async throws {
        let (first, second) = (try many(3), try many(2, lane: 1))
        try await store.record(first)
        try await store.record(second)
        try await store.record([first[0]] + many(1))
        let places = "SELECT lane || ' ' || position FROM attribution.store_notification ORDER BY lane, position"
        #expect(try await database.column(places) == ["0 1", "0 2", "0 3", "0 4", "1 1", "1 2"])
        let lanes = "SELECT position FROM attribution.store_lane ORDER BY lane"
        #expect(try await database.column(lanes) == ["4", "2", "0", "0"])
    }

    @Test("A notification is stored with what it says, also if nothing is sold in it")
    func content() async throws {
        let id = MadeUpStore.id()
        let renewal = try appStore.body(
            "DID_CHANGE_RENEWAL_STATUS", id: id, at: 5, transaction: appStore.transaction("77"),
            renewal: appStore.renewal(signedAt: 5), status: 1)
        try await store.record([appStore.delivery(renewal, at: 9), appStore.delivery(appStore.body("TEST"))])
        try await database.expect(
            """
            SELECT environment, version, type, bundle_id, original_transaction_id, transaction_id, status, lane,
                   notification_id = '\(id)' AS is_first
              FROM attribution.store_notification ORDER BY position
            """,
            """
            version  type                       bundle_id         original_transaction_id  transaction_id  is_first
            2        DID_CHANGE_RENEWAL_STATUS  com.example.game  1000                     77              true
            2        TEST                       com.example.game  -                        -               false
            """)
    }

    @Test("One notification that the database refuses fails alone, and nothing of it is stored")
    func refusedValue() async throws {
        try await trigger(
            """
            IF NEW.transaction_id = '0-2' THEN RAISE EXCEPTION 'refused' USING ERRCODE = '23514'; END IF;
            """, each: "ROW")
        let results = await store.record(try many(5), lane: 0, accountKey: nil)
        for (index, result) in results.enumerated() {
            #expect((try? result.get()) == (index == 2 ? nil : .accepted))
        }
        #expect(try await database.value(Self.counts) == "4 4 4 4")
        #expect(
            try await database.column("SELECT product_id FROM attribution.store_product ORDER BY product_id")
                == ["0", "1", "3", "4"])
    }

    @Test("A failure in the middle leaves nothing of the batch, and each of its notifications fails")
    func rollback() async throws {
        let batch = try many(5)
        try await trigger("RAISE EXCEPTION 'broken' USING ERRCODE = '58000';")
        for result in await store.record(batch, lane: 0, accountKey: nil) {
            let error = #expect(throws: PostgresError.self) { _ = try result.get() }
            #expect(error?.sqlState?.code == "58000")
        }
        #expect(try await database.value(Self.counts) == "0 0 0 0")
        #expect(try await database.value("SELECT count(*) FROM attribution.store_product") == "0")
        try await database.run("DROP TRIGGER act ON attribution.store_transaction")
        #expect(try await store.record(batch) == Array(repeating: .accepted, count: 5))
        #expect(try await database.value(Self.counts) == "5 5 5 5")
    }

    @Test("A batch that PostgreSQL ends because of another transaction runs again", arguments: ["40001", "40P01"])
    func collision(_ code: String) async throws {
        try await trigger(
            """
            IF nextval('attribution.attempt') <= 4 THEN RAISE EXCEPTION 'a collision' USING ERRCODE = '\(code)'; END IF;
            """)
        #expect(try await store.record(many(3)) == Array(repeating: .accepted, count: 3))
        #expect(try await database.value(Self.counts) == "3 3 3 3")
        #expect(try await database.value("SELECT last_value FROM attribution.attempt") == "5")
    }

    @Test("A batch whose connection is lost runs again")
    func lostConnection() async throws {
        try await trigger(
            """
            IF nextval('attribution.attempt') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
            """)
        #expect(try await store.record(many(3)) == Array(repeating: .accepted, count: 3))
        #expect(try await database.value(Self.counts) == "3 3 3 3")
        #expect(try await database.value("SELECT last_value FROM attribution.attempt") == "2")
    }

    @Test("A lane that is not there is said to be missing")
    func missingLane() async throws {
        let results = await store.record(try many(1), lane: 9, accountKey: nil)
        #expect(results.count == 1)
        for result in results {
            #expect(throws: StoreLaneError.self) { _ = try result.get() }
        }
        #expect(await store.record([], lane: 0, accountKey: nil).isEmpty)
    }

    @Test("Bodies are kept without the secret, and go before the notifications do")
    func bodies() async throws {
        for second in Int64(0)..<3 {
            let body = appStore.bodyV1("DID_RENEW", [appStore.receipt("\(second)")])
            try await store.record([appStore.delivery(body, at: second)])
        }
        let bodies = try await database.column("SELECT convert_from(body, 'UTF8') FROM attribution.store_body")
        #expect(bodies.count == 3)
        #expect(!bodies.contains { $0?.contains(MadeUpStore.secret) == true })
        #expect(try await store.dropStoreBodies(before: MadeUpStore.time(2)) == 2)
        #expect(try await database.value(Self.counts) == "3 1 3 3")
        #expect(try await store.dropStoreBodies(before: MadeUpStore.time(2)) == 0)
    }

    @Test("An account token is kept as its code only, and not at all without a key")
    func accountToken() async throws {
        let token = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
        let key = HMACKey(Array("a key of the installation".utf8))
        let keys: [(String, HMACKey?)] = [("1", key), ("2", nil)]
        for (id, key) in keys {
            let transaction = appStore.transaction(id, ["appAccountToken": .string(token)])
            try await store.record(
                [appStore.delivery(appStore.body("SUBSCRIBED", transaction: transaction))], accountKey: key)
        }
        let code = try #require(key.code(of: Array(token.lowercased().utf8)))
        let hashes = "SELECT encode(account_hash, 'hex') FROM attribution.store_transaction ORDER BY transaction_id"
        #expect(
            try await database.column(hashes)
                == [code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(), nil])
        for table in ["transaction", "notification", "renewal"] {
            let found = "SELECT count(*) FROM attribution.store_\(table) AS kept WHERE kept::text ILIKE '%7e3fb20b%'"
            #expect(try await database.value(found) == "0")
        }
    }

    @Test("No table and no view has both a customer and a campaign")
    func noJoin() async throws {
        let found = try await database.column(
            """
            SELECT table_name FROM information_schema.columns
             WHERE table_schema = 'attribution'
             GROUP BY table_name
            HAVING bool_or(column_name IN ('account_hash', 'original_transaction_id'))
               AND bool_or(column_name LIKE '%campaign%' OR column_name IN ('line', 'ad_network_id'))
            """)
        #expect(found == [])
    }
}
