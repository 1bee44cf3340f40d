import Access
import AdAttribution
import AuditTrail
import ConversionSchemes
import PostgresClient
import TestSupport
import Testing

@testable import CampaignData
@testable import PostbackStore

@Suite("Loads that are taken back", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct TakeBackTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let author = TrailActor(.admin, session: "0a1b2c3d", from: "192.0.2.7")

    /// All rows of a table, with all their columns.
    private func rows(_ table: String) async throws -> [String?] {
        try await database.column("SELECT t::text FROM attribution.\(table) AS t ORDER BY 1")
    }

    private func spend(_ rows: [String: String]...) throws -> SpendFiles {
        try SpendFiles(rows.map { SpendFiles.row($0) })
    }

    private func mapping(_ rows: [String: String]...) throws -> CampaignMappingFile {
        try MappingFiles.read(MappingFiles.csv(rows))
    }

    /// Why a load can't be taken back.
    private func refusal(_ kind: LoadKind, _ load: Int64? = nil) async throws -> TakeBackError {
        try await #require(throws: TakeBackError.self) { _ = try await store.takeBack(kind, load, by: author) }
    }

    @Test("What is stored is in the trail in the same transaction, with who, from where and counts; a dry run is not")
    func trail() async throws {
        let file = try spend(["campaign_id": "a"], ["campaign_id": "b"])
        let load = try await file.load(into: store)
        _ = try await store.takeBack(.spend, by: author)
        await #expect(throws: TakeBackError.self) { try await store.takeBack(.spend, by: author) }
        _ = try await store.load(
            CurrencyRateFile(), from: LoadSource(author, [LoadedFile(name: "rates.csv", [])]), ending: .rollback)
        try await database.expect(
            """
            SELECT action, person, session, origin, subject, counts::text FROM attribution.trail ORDER BY entry
            """,
            """
            action     person            session   origin        subject                     counts
            load       system user test  -         command line  load \(load.load) of spend  {"added":2,"changed":0,"unchanged":0,"removed":0}
            take-back  ADMIN_TOKEN       0a1b2c3d  192.0.2.7     load \(load.load) of spend  {"added":2,"changed":0,"unchanged":0,"removed":0}
            """)
    }

    @Test("A load is kept with its time, author, file, digest and numbers, also after it was taken back")
    func kept() async throws {
        let first = try await spend(["campaign_id": "a"], ["campaign_id": "b"]).load(into: store)
        let second = try await spend(["campaign_id": "a", "spend": "1"], ["campaign_id": "c"]).load(
            into: store, named: "b.csv")
        _ = try await store.takeBack(.spend, by: author)
        try await database.expect(
            """
            SELECT load.load, kind, loaded_at <= now() AS past, loaded_by, files::text, encode(digests[1], 'hex') AS digest,
                   added, changed, unchanged, removed, has_rows, taken_back_at >= loaded_at AS is_back, taken_back_by,
                   count(load_row.load) AS rows
              FROM attribution.load
              LEFT JOIN attribution.load_row USING (load)
             GROUP BY load.load
             ORDER BY load.load
            """,
            """
            load            kind   past  loaded_by         files        digest                                                            added  changed  unchanged  removed  has_rows  is_back  taken_back_by     rows
            \(first.load)   spend  true  system user test  {spend.csv}  e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  2      0        0          0        true      -        -                 2
            \(second.load)  spend  true  system user test  {b.csv}      e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  1      1        0          1        true      true     session 0a1b2c3d of ADMIN_TOKEN  3
            """)
        let loads = try await store.loads(of: [.spend], limit: 5)
        #expect(loads.map(\.load) == [second.load, first.load])
        #expect(loads.map(\.canBeTakenBack) == [false, true])
        #expect(loads.map { $0.takenBack?.author } == ["session 0a1b2c3d of ADMIN_TOKEN", nil])
    }

    @Test("Spend that is taken back is as before, to the last column; then the load before it can be taken back")
    func spend() async throws {
        let none = try await rows("spend_daily")
        _ = try await spend(
            ["campaign_id": "a", "spend": "0.000001"], ["campaign_id": "b", "impressions": "5"],
            ["campaign_id": "b", "country": "US"], ["campaign_id": "a", "day": "2026-11-21"]
        ).load(into: store)
        let one = try await rows("spend_daily")
        let second = try await spend(
            ["campaign_id": "a", "currency": "EUR"], ["campaign_id": "b", "impressions": "5"],
            ["campaign_id": "c", "ad_group_id": "g"]
        ).load(into: store, named: "second.csv")
        #expect(second.changes == RowChanges(added: 1, changed: 1, unchanged: 1, removed: 1))
        #expect(try await rows("spend_daily") != one)
        #expect(try await store.takeBack(.spend, second.load, by: author).changes == second.changes)
        #expect(try await rows("spend_daily") == one)
        #expect("\(try await refusal(.spend, second.load))".contains("it is taken back already: load \(second.load) "))
        _ = try await store.takeBack(.spend, by: author)
        #expect(try await rows("spend_daily") == none)
        #expect(try await refusal(.spend) == .none(.spend))
        #expect(try await refusal(.spend, 99) == .unknown(.spend, 99))
    }

    @Test("A load that is not the last one is not taken back, and the later one is named")
    func notLast() async throws {
        let first = try await spend(["campaign_id": "a"]).load(into: store)
        let second = try await spend(["campaign_id": "a", "day": "2026-11-22"]).load(into: store)
        let before = try await rows("spend_daily")
        let refusal = try await refusal(.spend, first.load)
        #expect("\(refusal)".contains("later came load \(second.load) of spend at "), "\(refusal)")
        #expect("\(refusal)".hasSuffix("by system user test"))
        #expect(try await rows("spend_daily") == before)
        // A load of another kind is in nobody's way.
        _ = try await store.load(SpendFiles.rates("day,currency,units_per_usd\n2026-11-20,EUR,0.9\n"))
        _ = try await store.takeBack(.spend, second.load, by: author)
        _ = try await store.takeBack(.spend, first.load, by: author)
    }

    @Test(
        "If a row of a load was changed, removed or added after it, the load stays, and the row is named",
        arguments: [
            "UPDATE attribution.spend_daily SET spend = 2 WHERE campaign_id = 'b'",
            "DELETE FROM attribution.spend_daily WHERE campaign_id = 'b'",
            """
            INSERT INTO attribution.spend_daily (day, ad_network_id, advertised_app_id, campaign_id, currency, spend,
                                                 source_file, loaded_at)
            VALUES ('2026-11-20', 'com.example', 7, 'a', 'USD', 5, 'by hand', now())
            """,
        ])
    func changedSince(_ change: String) async throws {
        _ = try await spend(["campaign_id": "a"]).load(into: store)
        let load = try await spend(["campaign_id": "b"]).load(into: store)
        try await database.run(change)
        let before = try await rows("spend_daily")
        let refusal = try await refusal(.spend)
        let name = change.hasPrefix("INSERT") ? "a" : "b"
        #expect(
            "\(refusal)" == "1 of the rows of load \(load.load) were changed after it, so it can't be taken back: "
                + "2026-11-20, com.example, app 7, campaign \(name)")
        #expect(try await rows("spend_daily") == before)
        // What is not of the load does not matter.
        try await database.run("TRUNCATE attribution.spend_daily")
        _ = try await spend(["campaign_id": "c"]).load(into: store)
        try await database.run("UPDATE attribution.spend_daily SET day = '2026-11-25', campaign_id = 'd'")
        _ = try await spend(["campaign_id": "e"]).load(into: store)
        _ = try await store.takeBack(.spend, by: author)
    }

    @Test("A mapping that replaced the rows of a network is taken back with the numbers of the rows")
    func mapping() async throws {
        _ = try await store.load(
            mapping(
                MappingFiles.group("39", "a", ["valid_from": "2026-10-01", "valid_to": "2026-10-31", "geo": "DE"]),
                MappingFiles.group("40", "b"), MappingFiles.group("41", "c", ["country": "US"]),
                MappingFiles.group("42", "d", ["ad_network_id": "com.other"])))
        let before = try await rows("campaign_mapping")
        let changes = try await store.load(
            mapping(
                MappingFiles.group("39", "a", ["valid_from": "2026-10-01", "valid_to": "2026-10-14"]),
                MappingFiles.group("39", "e", ["valid_from": "2026-10-15"]), MappingFiles.group("40", "b")),
            replacing: true)
        #expect(changes == RowChanges(added: 1, changed: 1, unchanged: 1, removed: 1))
        _ = try await store.takeBack(.mapping, by: author)
        #expect(try await rows("campaign_mapping") == before)
    }

    @Test("A mapping of which an identifier was retired, or given out again, is not taken back")
    func mappingChangedSince() async throws {
        let network = try #require(MappingFiles.network)
        _ = try await store.load(
            mapping(MappingFiles.group("39", "a", ["valid_to": "2099-01-01"]), MappingFiles.group("40", "b")))
        let load = try mapping(MappingFiles.group("40", "c"))
        _ = try await store.load(load, replacing: true)
        // Identifier 39 is free now.
        let given = try await store.allocate(
            IdentifierAllocation(
                network: network, advertisedAppID: nil, space: try #require(IdentifierSpace.groups(digits: 2)),
                names: CampaignNames(campaignID: "x")), on: try MappingFiles.day("2026-11-22"))
        try await database.run(
            "UPDATE attribution.campaign_mapping SET identifier = '39' WHERE identifier = '\(given.conditions.campaign.text)'"
        )
        let before = try await rows("campaign_mapping")
        let overlap = try await refusal(.mapping)
        #expect(
            "\(overlap)".hasSuffix("whose days overlap with those of com.example, source-identifier 39"), "\(overlap)")
        #expect(try await rows("campaign_mapping") == before)

        let campaign = try #require(CampaignType.sourceIdentifier.campaign("40"))
        _ = try await store.retire(campaign, of: network, app: nil, lastDay: try MappingFiles.day("2026-11-22"))
        #expect("\(try await refusal(.mapping))".hasSuffix("com.example, source-identifier 40"))
    }

    @Test("Rates that are taken back are as before")
    func rates() async throws {
        _ = try await store.load(
            SpendFiles.rates("day,currency,units_per_usd\n2026-11-20,EUR,0.9\n2026-11-21,EUR,0.91\n"))
        let before = try await rows("currency_rate")
        let change = try await store.load(
            SpendFiles.rates(
                "day,currency,units_per_usd\n2026-11-20,EUR,0.8\n2026-11-22,JPY,150\n2026-11-21,EUR,0.91\n"))
        #expect(change == RowChanges(added: 1, changed: 1, unchanged: 1))
        _ = try await store.takeBack(.rates, by: author)
        #expect(try await rows("currency_rate") == before)
    }

    private func scheme(_ from: String, event: String = "a") throws -> ConversionScheme {
        let text = """
            {"app-id": 525463029, "name": "from \(from)", "valid-from": "\(from)T00:00:00Z", "valid-to": null,
             "fine": [{"value": 0, "events": []}, {"value": 1, "events": [{"name": "\(event)"}]}]}
            """
        return try SchemeFile.read(Array(text.utf8))
    }

    private func schemes() async throws -> [String?] {
        try await rows("conversion_scheme") + rows("conversion_meaning") + rows("value_meaning")
    }

    @Test("A scheme that is taken back opens the one that it closed, and one that it replaced is there again")
    func schemeSuccessor() async throws {
        _ = try await store.load([try scheme("2026-01-01"), try scheme("2026-02-01")])
        let before = try await schemes()
        // It replaces the second one, which a third one closes.
        let load = try await store.load(
            [try scheme("2026-03-01"), try scheme("2026-02-01", event: "b")], from: .test)
        #expect(load.outcome.changes == RowChanges(added: 1, changed: 1))
        #expect(try await schemes() != before)
        _ = try await store.takeBack(.scheme, by: author)
        #expect(try await schemes() == before)
        let again = try await store.load([try scheme("2026-01-01")], from: .test)
        #expect(again.outcome.changes == RowChanges(unchanged: 1))
    }

    @Test("A scheme in use is not taken back")
    func schemeInUse() async throws {
        _ = try await store.load([try scheme("2026-01-01")])
        let load = try await store.load([try scheme("2026-02-01")], from: .test)
        let keys = try TestKeys()
        let body = try TestPostback { $0.appID = 525_463_029 }.body(keys.postbackKey)
        let received = PostgresTimestamp(try #require(SchemeTime("2026-02-03T00:00:00Z")))
        let delivery = PostbackDelivery(try keys.verified(body), receivedAt: received, origin: .unknown)
        #expect(try await store.record([delivery]).areAll(.accepted))
        let before = try await schemes()
        let refusal = try await refusal(.scheme)
        #expect(
            "\(refusal)" == "load \(load.outcome.load) can't be taken back, since the scheme of app 525463029 from "
                + "2026-02-01T00:00:00Z is in use: a postback was received after that")
        #expect(try await schemes() == before)
    }

    @Test("A load past its retention can't be taken back, and stays in the list")
    func retention() async throws {
        let load = try await spend(["campaign_id": "a"]).load(into: store)
        let now = PostbackStore.now()
        try await store.removeLoadRows(
            before: PostgresTimestamp(microsecondsSince2000: now.microsecondsSince2000 - 86_400_000_000))
        #expect(try await store.loads(of: [.spend], limit: 1).map(\.canBeTakenBack) == [true])
        try await store.removeLoadRows(before: PostgresTimestamp(microsecondsSince2000: now.microsecondsSince2000 + 1))
        #expect(try await database.value("SELECT count(*) FROM attribution.load_row") == "0")
        let kept = try await store.loads(of: [.spend], limit: 1)
        #expect(kept.map(\.load) == [load.load] && kept.map(\.canBeTakenBack) == [false])
        #expect("\(try await refusal(.spend))".contains("are past LOAD_RETENTION_DAYS"))
    }

    @Test("Retention does not remove the rows of a load while it is taken back", .database(connections: 2))
    func retentionMeanwhile() async throws {
        let load = try await spend(["campaign_id": "a"]).load(into: store)
        let now = PostbackStore.now()
        // The rows of the load are compared with those of this table, then they are removed.
        let (takenBack, removed) = try await database.holding("LOCK TABLE attribution.spend_daily") {
            let takenBack = Task { try await store.takeBack(.spend, load.load, by: author) }
            try await waitForLocks(1)
            let removed = Task {
                try await store.removeLoadRows(
                    before: PostgresTimestamp(microsecondsSince2000: now.microsecondsSince2000 + 1))
            }
            try await waitForLocks(2)
            return (takenBack, removed)
        }
        #expect(try await takenBack.value.load == load.load)
        try await removed.value
        #expect(try await rows("spend_daily") == [])
    }

    /// Waits until so many sessions wait for locks, or the rows of all loads are gone.
    private func waitForLocks(_ count: Int) async throws {
        try await eventually("\(count) sessions wait") {
            try await database.value(
                """
                SELECT count(*) >= \(count) OR NOT EXISTS (SELECT FROM attribution.load_row)
                  FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
                """) == "true" ? true : nil
        }
    }

    @Test("Of several who take the same load back at once, one does", .database(connections: 4))
    func atOnce() async throws {
        let load = try await spend(["campaign_id": "a"]).load(into: store)
        let count = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask { (try? await store.takeBack(.spend, load.load, by: author)) != nil }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(count == 1)
        #expect(try await rows("spend_daily") == [])
    }
}
