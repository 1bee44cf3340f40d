import AdAttribution
import CampaignData
import PostgresClient
import TestSupport
import Testing

@testable import CampaignData
@testable import PostbackStore

/// Adding the events of the log to the sums of answers.
@Suite("Folding answers", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase)
struct AnswerFoldingTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    @Test(
        "However the log is cut into parts, the sums equal a recount of the postbacks", .database, arguments: [21, 22])
    func parts(_ seed: UInt64) async throws {
        let fixture = try AnswerFixture()
        let deliveries = try fixture.deliveries(seed: seed)
        _ = try await store.load(AnswerFixture.schemes())
        for start in stride(from: 0, to: deliveries.count, by: 70) {
            let batch = Array(deliveries[start..<min(start + 70, deliveries.count)])
            for result in await store.record(batch) { _ = try result.get() }
            if start % 140 == 0 { _ = try await store.fold(.answers, [1, 2], limit: 30) }
        }
        try await store.foldAnswers()
        #expect(try await database.recountAnswers() == [])
        // Something of everything was there.
        let kinds = try await database.column(
            """
            SELECT DISTINCT coalesce(decoding, no_value_kind) FROM attribution.postback_answer ORDER BY 1
            """)
        #expect(kinds.count == 7)
        let raised = "SELECT count(*) > 10 FROM attribution.postback WHERE raised_at IS NOT NULL"
        #expect(try await database.value(raised) == "true")
    }

    @Test("While another server folds, folding returns at once, or waits for it if it is told to", .database)
    func waiting() async throws {
        let deliveries = try AnswerFixture().deliveries(seed: 24)
        for result in await store.record(deliveries) { _ = try result.get() }
        let gate = AsyncStream.makeStream(of: Void.self)
        let isHeld = AsyncStream.makeStream(of: Void.self)
        async let other: Void = database.withPool(size: 1) { pool in
            try await pool.withConnection { connection in
                _ = try connection.query(PostgresStatement("test", "SELECT pg_advisory_lock(7421001650)"))
            }
            isHeld.continuation.finish()
            for await _ in gate.stream {}
            try await pool.withConnection { connection in
                _ = try connection.query(PostgresStatement("test2", "SELECT pg_advisory_unlock(7421001650)"))
            }
        }
        for await _ in isHeld.stream {}
        #expect(try await store.foldAnswers() == 0)
        async let folded = store.foldAnswers(waits: true)
        try await database.waitForWaiters(1)
        gate.continuation.finish()
        #expect(try await folded > 0)
        try await other
        #expect(try await database.recountAnswers() == [])
    }

    @Test("Answers wait while a thousand postbacks a second arrive, but not if they are an hour behind", .database)
    func mayWait() async throws {
        let deliveries = try AnswerFixture().deliveries(1_600, seed: 26)
        // The first batch of each lane is small, so that more than a thousand events follow it.
        for part in [deliveries.prefix(20), deliveries.dropFirst(20)] {
            for result in await store.record(Array(part)) { _ = try result.get() }
        }
        // All of them in a second that does not end while the test runs.
        try await database.run("UPDATE attribution.postback_log SET written_at = now() + interval '1 hour'")
        #expect(try await store.answersMayWait())
        try await database.run(
            """
            UPDATE attribution.postback_log SET written_at = now() - interval '61 minutes'
             WHERE (lane, position) IN (SELECT lane, min(position) FROM attribution.postback_log GROUP BY lane)
            """)
        #expect(try await !store.answersMayWait())
        try await store.foldAnswers()
        #expect(try await store.answersMayWait())
        try await database.run("UPDATE attribution.postback_log SET written_at = now() - interval '2 seconds'")
        #expect(try await !store.answersMayWait())
    }

    @Test("Folding again changes nothing", .database)
    func again() async throws {
        let (store, database) = try await AnswerFixture().folded(seed: 23)
        let rows = """
            SELECT t::text FROM (SELECT ctid, xmin, d.* FROM attribution.answer_daily AS d) AS t
            UNION ALL
            SELECT t::text FROM (SELECT ctid, xmin, d.* FROM attribution.answer_split_daily AS d) AS t
             ORDER BY 1
            """
        let before = try await database.column(rows)
        #expect(!before.isEmpty)
        #expect(try await store.foldAnswers() == 0)
        #expect(try await database.column(rows) == before)
    }

    @Test("Sums by source are of postbacks that name one, and reports show the others too", .database)
    func unnamed() async throws {
        let (_, database) = try await AnswerFixture().folded(seed: 23)
        #expect(
            try await database.value(
                """
                SELECT count(*) FROM attribution.answer_split_daily
                 WHERE split <> attribution.answer_split('traits') AND split_number = 0
                """) == "0")
        for split in ["source", "app_source"] {
            let report = "attribution.report_install_\(split)_daily_all"
            let sums = "count(*) > 0, sum(postbacks), sum(mapped), sum(revenue_low)"
            let unnamed = "source_app_id IS NULL AND source_domain IS NULL"
            #expect(
                try await database.column("SELECT concat_ws(' ', \(sums)) FROM \(report) WHERE \(unnamed)")
                    == database.column(
                        """
                        SELECT concat_ws(' ', count(*) > 0, count(*), count(*) FILTER (WHERE decoding = 'mapped'),
                                         sum(revenue_low))
                          FROM attribution.postback_answer
                         WHERE source = 0
                        """), "\(split)")
        }
    }

    @Test("Sums by two digits are those of all campaigns of an app in a network that end in them", .database)
    func twoDigits() async throws {
        let (_, database) = try await AnswerFixture().folded(seed: 23)
        let figures = ["postbacks", "redownloads", "withheld", "mapped", "tier_1", "revenue_middle", "revenue_square"]
        let keys = "day, sequence_index, did_win, currency"
        let stored = """
            SELECT line AS app_line, substr(traits::text, 2) AS two_digits, \(keys),
                   \(figures.map { "coalesce(\($0), 0)" }.joined(separator: ", "))
              FROM attribution.answer_daily
             WHERE answer_table = attribution.answer_table('install', 'two_digits') AND postbacks > 0
            """
        let summed = """
            SELECT app_line, attribution.two_digits(campaign_type, campaign), \(keys),
                   \(figures.map { "coalesce(sum(\($0)), 0)" }.joined(separator: ", "))
              FROM attribution.answer_daily
              JOIN attribution.line USING (line)
              JOIN attribution.app_line USING (line)
             WHERE answer_table = attribution.answer_table('install', 'campaign') AND postbacks > 0
             GROUP BY 1, 2, \(keys)
            """
        #expect(try await database.differences(stored, summed) == [])
        let lines = "SELECT count(DISTINCT (line, traits)) > 10 FROM attribution.answer_install_two_digits_daily"
        #expect(try await database.value(lines) == "true")
    }

    @Test("A raise moves a postback from one install day to another, and leaves zeros behind", .database)
    func raise() async throws {
        let fixture = try AnswerFixture()
        var postback = TestPostback()
        // Value 0: the launch was 36 hours ago. Value 30 of the scheme: 24 to 47 hours more.
        let time = AnswerFixture.time(hours: 24)
        func delivery(_ value: Int) throws -> PostbackDelivery {
            postback.conversionValue = value
            return PostbackDelivery(
                try fixture.keys.verified(postback.body(fixture.keys.postbackKey)), receivedAt: time)
        }
        let rows = """
            SELECT concat_ws(' ', day, coalesce(postbacks, 0), coalesce(fine, 0), coalesce(mapped, 0),
                             coalesce(revenue_low, 0), coalesce(revenue_square, 0))
              FROM attribution.answer_daily
             WHERE answer_table = attribution.answer_table('install', 'campaign') ORDER BY day
            """
        _ = try await store.load(AnswerFixture.schemes())
        #expect(try await store.record([delivery(0)]).areAll(.accepted))
        try await store.foldAnswers()
        #expect(try await database.column(rows) == ["2026-09-21 1 1 1 0 0"])
        #expect(try await store.record([delivery(30)]).areAll(.raised))
        try await store.foldAnswers()
        let after = try await database.column(rows).compactMap(\.self)
        #expect(after.count == 2)
        #expect(after.first?.hasPrefix("2026-09-19 1 1 1 14980001 ") == true)
        #expect(after.last?.hasPrefix("2026-09-21 0 0 0 0 0") == true)
        #expect(
            try await database.column(
                """
                SELECT concat_ws(' ', day, event, postbacks, revenue_low)
                  FROM attribution.report_install_event_daily_all ORDER BY event
                """) == ["2026-09-19 purchase 1 4.990001", "2026-09-19 subscribe 1 9.990000"])
        #expect(
            try await database.column("SELECT day FROM attribution.report_install_campaign_daily_all")
                == ["2026-09-19"])
        #expect(try await database.recountAnswers() == [])
    }

    @Test("Schemes that are loaded after the postbacks give the same sums as schemes that were there before")
    func refold() async throws {
        let fixture = try AnswerFixture()
        let deliveries = try fixture.deliveries(seed: 24)
        var sums: [[String]] = []
        for isLate in [false, true] {
            try await TestDatabase.with { database in
                try await database.withStore { store in
                    let schemes = try AnswerFixture.schemes()
                    if !isLate { _ = try await store.load(schemes) }
                    // In the same batches, so that both databases number their rows alike.
                    for start in stride(from: 0, to: deliveries.count, by: 200) {
                        let batch = Array(deliveries[start..<min(start + 200, deliveries.count)])
                        for result in await store.record(batch) { _ = try result.get() }
                        try await store.foldAnswers()
                    }
                    if isLate {
                        let waiting = "SELECT advertised_app_id FROM attribution.answer_refold ORDER BY 1"
                        #expect(try await database.value("SELECT sum(mapped) FROM attribution.folded_answer") == "0")
                        for scheme in schemes { _ = try await store.load([scheme]) }
                        #expect(try await database.column(waiting) == AnswerFixture.apps.prefix(2).map { "\($0)" })
                        try await store.foldAnswers()
                        #expect(try await database.column(waiting) == [])
                    }
                    #expect(try await database.recountAnswers() == [])
                    sums.append(try await database.answers())
                }
            }
        }
        #expect(sums[0].count > 1_000)
        #expect(sums[0] == sums[1])
    }

    @Test(
        "Two servers that fold at once, while others write and a scheme is loaded, fold nothing twice and lose nothing",
        .database(connections: 6))
    func concurrently() async throws {
        let fixture = try AnswerFixture()
        let deliveries = try fixture.deliveries(seed: 25)
        let schemes = try AnswerFixture.schemes()
        _ = try await store.load([schemes[2]])
        try await withThrowingTaskGroup { group in
            for half in 0..<2 {
                group.addTask {
                    for start in stride(from: half * 50, to: deliveries.count, by: 100) {
                        let batch = Array(deliveries[start..<min(start + 50, deliveries.count)])
                        for result in await store.record(batch) { _ = try result.get() }
                    }
                }
                group.addTask {
                    for _ in 0..<15 { _ = try await store.foldAnswers() }
                }
            }
            _ = try await store.load([schemes[0], schemes[1]])
            try await group.waitForAll()
        }
        _ = try await store.foldAnswers()
        #expect(try await database.recountAnswers() == [])
    }

    @Test("If folding fails in the middle, the place and the sums do not change", .database)
    func failure() async throws {
        let fixture = try AnswerFixture()
        let deliveries = try fixture.deliveries(120, seed: 26)
        _ = try await store.load(AnswerFixture.schemes())
        for result in await store.record(deliveries) { _ = try result.get() }
        try await database.run("ALTER TABLE attribution.answer_install_daily ADD CHECK (postbacks < 0)")
        await #expect(throws: PostgresError.self) { try await store.foldAnswers() }
        #expect(try await database.answers() == [])
        try await database.run(
            "ALTER TABLE attribution.answer_install_daily DROP CONSTRAINT answer_install_daily_postbacks_check")
        #expect(try await store.foldAnswers() > 0)
        #expect(try await database.recountAnswers() == [])
    }

    @Test("The sums are whole until the first event that is not folded, and until now if there is none", .database)
    func upTo() async throws {
        let fixture = try AnswerFixture()
        let deliveries = try fixture.deliveries(60, seed: 27)
        let isNow = "SELECT attribution.answers_up_to() = now()"
        #expect(try await database.value(isNow) == "true")
        for result in await store.record(deliveries) { _ = try result.get() }
        #expect(
            try await database.value(
                "SELECT attribution.answers_up_to() = (SELECT min(written_at) FROM attribution.postback_log)")
                == "true")
        try await store.foldAnswers()
        #expect(try await database.value(isNow) == "true")
    }
}
