import PostgresClient
import TestSupport
import Testing

@testable import CampaignData
@testable import PostbackStore

@Suite(
    "What a load would do", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct LoadPlanTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    private static let state = """
        SELECT t::text FROM attribution.spend_daily AS t
        UNION ALL SELECT t::text FROM attribution.load AS t
        UNION ALL SELECT t::text FROM attribution.load_row AS t ORDER BY 1
        """

    private func spend(_ rows: [String: String]...) throws -> SpendFiles {
        try SpendFiles(rows.map { SpendFiles.row($0) })
    }

    @Test(
        "A dry run says which rows would be removed and changed, and which campaigns lose their cost; nothing is stored"
    )
    func plan() async throws {
        _ = try await spend(
            ["campaign_id": "a"], ["campaign_id": "b"], ["campaign_id": "b", "country": "US", "spend": "1"],
            ["campaign_id": "c"], ["campaign_id": "d", "spend": "0"], ["campaign_id": "e"]
        ).load(into: store)
        let before = try await database.column(Self.state)
        let trial = try await spend(
            ["campaign_id": "a", "spend": "20"], ["campaign_id": "c", "country": "DE"], ["campaign_id": "e"]
        ).load(into: store, ending: .rollback)
        #expect(trial.changes == RowChanges(added: 1, changed: 1, unchanged: 1, removed: 4))
        let plan = try #require(trial.plan)
        #expect(
            plan.rows.map(\.text) == [
                "removed: 2026-11-20, com.example, app 7, campaign b: currency USD, spend 12.500000",
                "removed: 2026-11-20, com.example, app 7, campaign b, US: currency USD, spend 1.000000",
                "removed: 2026-11-20, com.example, app 7, campaign c: currency USD, spend 12.500000",
                "removed: 2026-11-20, com.example, app 7, campaign d: currency USD, spend 0.000000",
                "changed: 2026-11-20, com.example, app 7, campaign a: spend 12.500000 becomes spend 20.000000",
                "new: 2026-11-20, com.example, app 7, campaign c, DE: currency USD, spend 12.500000",
            ])
        // Campaign c has another row, and d had no cost.
        #expect(
            plan.lostCosts.map(\.text) == [
                "loses its cost: 2026-11-20, com.example, app 7, campaign b: 13.500000 USD"
            ])
        #expect(plan.lostCostCount == 1)
        #expect(try await database.column(Self.state) == before)
    }

    @Test("A value that a row would lose is listed as –")
    func lostValues() async throws {
        _ = try await spend(["campaign_id": "a", "clicks": "720", "impressions": "25920"]).load(into: store)
        let trial = try await spend(["campaign_id": "a", "spend": "5"]).load(into: store, ending: .rollback)
        #expect(
            trial.plan?.rows.map(\.text) == [
                "changed: 2026-11-20, com.example, app 7, campaign a: clicks 720, impressions 25920, spend 12.500000 "
                    + "becomes clicks –, impressions –, spend 5.000000"
            ])
    }

    @Test("Of many rows the first ones are listed, and all are counted")
    func bounded() async throws {
        let many = try SpendFiles((0..<250).map { SpendFiles.row(["campaign_id": "c\(1_000 + $0)"]) })
        _ = try await many.load(into: store)
        let trial = try await spend(["campaign_id": "a"]).load(into: store, ending: .rollback)
        let plan = try #require(trial.plan)
        #expect(trial.changes == RowChanges(added: 1, removed: 250))
        #expect(plan.rows.count == 200 && plan.rows.allSatisfy(\.isLost))
        #expect(plan.lostCosts.count == 200 && plan.lostCostCount == 250)
    }

    @Test("A load that was shown is stored if it would still do the same")
    func confirmed() async throws {
        _ = try await spend(["campaign_id": "a"], ["campaign_id": "b"]).load(into: store)
        let file = try spend(["campaign_id": "a", "spend": "1"])
        let shown = try #require(try await file.load(into: store, ending: .rollback).plan).confirmation
        // Another day is no change.
        _ = try await spend(["campaign_id": "z", "day": "2026-11-21"]).load(into: store)
        let carried = try #require(LoadConfirmation(shown.text))
        #expect(carried == shown)
        let load = try await file.load(into: store, ending: .commitIf(carried))
        #expect(load.changes == RowChanges(changed: 1, removed: 1))
        #expect(try await database.value("SELECT count(*) FROM attribution.spend_daily") == "2")
    }

    @Test(
        "A load that would not do any more what was shown is refused with what has changed",
        arguments: [
            "load", "UPDATE attribution.spend_daily SET spend = 3, loaded_at = now() WHERE campaign_id = 'b'",
            "DELETE FROM attribution.spend_daily WHERE campaign_id = 'b'",
        ])
    func changed(_ change: String) async throws {
        _ = try await spend(["campaign_id": "a"], ["campaign_id": "b"]).load(into: store)
        let file = try spend(["campaign_id": "a", "spend": "1"])
        let shown = try #require(try await file.load(into: store, ending: .rollback).plan).confirmation
        var cause = "rows were removed, or written by other means than a load"
        if change == "load" {
            let load = try await spend(["campaign_id": "a"], ["campaign_id": "c"]).load(into: store)
            cause = "load \(load.load) of spend at "
        } else {
            try await database.run(change)
            if change.hasPrefix("UPDATE") { cause = "this row was written: 2026-11-20, com.example, app 7, campaign b" }
        }
        let before = try await database.column(Self.state)
        let error = try await #require(throws: ChangedLoad.self) {
            _ = try await file.load(into: store, ending: .commitIf(shown))
        }
        #expect("\(error)".contains("Then it would have added 0, changed 1, removed 1 and left 0, now it would have "))
        #expect("\(error)".contains(cause), "\(error)")
        #expect(error.now.plan != nil)
        #expect(try await database.column(Self.state) == before)
    }

    @Test(
        "A text that is no confirmation is refused",
        arguments: [
            "", "x", "00.1.2.3.4.5", String(repeating: "0", count: 64) + ".1.2.3.4",
            String(repeating: "0", count: 64) + ".1.2.3.4.x", String(repeating: "0", count: 64) + ".1.2.3.4.5.6",
        ])
    func wrongConfirmation(_ text: String) {
        #expect(LoadConfirmation(text) == nil)
    }
}
