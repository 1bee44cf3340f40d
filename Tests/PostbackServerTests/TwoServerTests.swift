import Foundation
import PostgresClient
import TestSupport
import Testing

extension ServerTests {
    @Suite("Two servers on one database", .installation)
    struct TwoServerTests {
        /// Makes folding slow while a row is in `public.slow`.
        private static let slowFolding = """
            CREATE TABLE public.slow (a integer);
            INSERT INTO public.slow VALUES (1);
            CREATE FUNCTION public.sleep_if_slow() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF EXISTS (SELECT FROM public.slow) THEN PERFORM pg_sleep(50); END IF;
                RETURN NULL;
            END $$;
            CREATE TRIGGER slow AFTER INSERT ON attribution.campaign_daily
                FOR EACH STATEMENT EXECUTE FUNCTION public.sleep_if_slow();
            CREATE TRIGGER slow AFTER INSERT ON attribution.answer_daily
                FOR EACH STATEMENT EXECUTE FUNCTION public.sleep_if_slow();
            """

        /// Whether a reader has read the whole log.
        private func hasReadAll(_ reader: String, _ database: TestDatabase) async throws -> Bool {
            try await database.value(
                """
                SELECT NOT EXISTS (
                    SELECT FROM attribution.log_reader AS reader JOIN attribution.postback_log AS log USING (lane)
                     WHERE reader.reader = '\(reader)'
                       AND (log.position, log.ordinal) > (reader.position, reader.ordinal))
                """) == "true"
        }

        @Test(
            "If a server is killed while it folds, another one folds within seconds, makes partitions and removes expired links"
        )
        func killedInFold() async throws {
            let installation = try Installation.current
            let database = installation.database
            let bodies = try installation.keys.simulate(seed: 11, count: 300)
            try await database.run(Self.slowFolding)
            let (first, client) = try await installation.start()
            #expect(await client.stream(bodies, clients: 8).allSatisfy { $0?.status == 200 })
            for statement in ["fold_lanes", "fold_answers"] {
                try await eventually("\(statement) is under way") {
                    try await database.value(
                        """
                        SELECT true FROM pg_stat_activity
                         WHERE datname = current_database() AND wait_event = 'PgSleep'
                           AND query LIKE '-- \(statement)%'
                        """)
                }
            }
            // The folds of the first server sleep on, whatever this table says now.
            try await database.run("DELETE FROM public.slow")
            let (second, other) = try await installation.start()
            #expect(try await !hasReadAll("figures", database))
            try await first.kill()
            let killed = ContinuousClock.now
            try await database.run(
                """
                DROP TABLE attribution.postback_log_\(Self.inAWeek);
                INSERT INTO attribution.web_ad (nonce, ad_network_id, source_identifier, itunes_item_id,
                                                destination_host, created_at, expires_at)
                SELECT gen_random_uuid(), 'example123.skadnetwork', 1, 1, 'example.com', now() - interval '2 days',
                       now() - interval '1 day'
                  FROM generate_series(1, 2000)
                """)
            for reader in ["figures", "answers"] {
                try await eventually("\(reader) are folded") {
                    try await hasReadAll(reader, database) ? true : nil
                }
            }
            try await eventually("the partition is there") {
                try await database.value(
                    "SELECT to_regclass('attribution.postback_log_\(Self.inAWeek)') IS NOT NULL") == "true"
                    ? true : nil
            }
            try await eventually("the links are removed") {
                try await database.value("SELECT count(*) FROM attribution.web_ad") == "0" ? true : nil
            }
            // About ten seconds on a machine that has nothing else to do. If the database went on with the folds of
            // the killed server, it would take fifty.
            #expect(ContinuousClock.now - killed < .seconds(45))
            #expect(second.isRunning)
            // Nothing is doubled: what the first server had not committed is rolled back.
            #expect(await other.stream(bodies, clients: 8).allSatisfy { $0?.outcome == "duplicate" })
            #expect(try await Offered.stored(database) == Offered(bodies).highest)
            #expect(try await database.recounts() == [])
        }

        /// The last day for which the service makes partitions, as in the name of one.
        private static let inAWeek = {
            let day = PostgresDate(daysSince2000: Int32(Date().timeIntervalSince1970 / 86_400) - 10_957 + 7)
            return day.description.filter { $0 != "-" }
        }()

        @Test(
            "If another server holds all lanes but one, the postbacks of that one are answered at once",
            .installation(lanes: 70))
        func heldLanes() async throws {
            let installation = try Installation.current
            let database = installation.database
            let (_, client) = try await installation.start()
            let postbacks = (0..<400).map { _ in TestPostback() }
            let lanes = try await database.lanes(
                of: try postbacks.map { try #require(UUID(uuidString: $0.transactionID)) })
            let key = installation.keys.postbackKey
            let free = try #require(Dictionary(grouping: lanes, by: \.self).max { $0.value.count < $1.value.count })
                .key
            let (mine, others) = (
                try zip(postbacks, lanes).filter { $1 == free }.map { try $0.0.body(key) },
                try zip(postbacks, lanes).filter { $1 != free }.map { try $0.0.body(key) }
            )
            // The dimensions' rows are there before.
            #expect(try await client.post(TestPostback().body(key)).status == 200)
            try await database.withSession { session in
                try await session.execute(
                    script:
                        "SELECT pg_advisory_lock(742100164, lane) FROM attribution.lane WHERE lane <> \(free)")
                let waiting = Task { await client.stream(others, clients: 60) }
                try await eventually("batches wait for lanes") {
                    try await database.value(
                        """
                        SELECT true FROM pg_locks
                         WHERE locktype = 'advisory' AND classid = 742100164 AND NOT granted
                           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                        HAVING count(*) > 20
                        """)
                }
                for body in mine { #expect(try await client.post(body).outcome == "accepted") }
                try await session.execute(script: "SELECT pg_advisory_unlock_all()")
                _ = await waiting.value
            }
            #expect(await client.stream(others, clients: 16).allSatisfy { $0?.status == 200 })
            #expect(try await Offered.stored(database).count == 401)
            #expect(try await database.recounts() == [])
        }
    }
}
