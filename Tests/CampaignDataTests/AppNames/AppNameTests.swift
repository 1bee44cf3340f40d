import Access
import AuditTrail
import PostgresClient
import TabularFiles
import TestSupport
import Testing

@testable import CampaignData
@testable import PostbackStore

@Suite("Names of apps", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct AppNameTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let author = TrailActor(.admin, session: "0a1b2c3d", from: "192.0.2.7")

    private func file(_ text: String) throws -> AppNameFile {
        var reader = RecordReader<AppName>()
        var file = AppNameFile()
        try reader.read(Array(text.utf8)) { try file.take($0, line: $1) }
        try reader.finish { try file.take($0, line: $1) }
        return file
    }

    private func names() async throws -> [String] {
        try await store.appNames().map { $0.fields.joined(separator: " ") }
    }

    @Test("Names are added, changed and left as they are; only a replacing load removes others")
    func loads() async throws {
        let first = try file("app_id,app_name\n2,Two\n1,One\n")
        #expect(try await store.load(first, from: .test, ending: .rollback).changes == RowChanges(added: 2))
        #expect(try await names() == [])
        #expect(try await store.load(first) == RowChanges(added: 2))
        #expect(try await names() == ["1 One", "2 Two"])
        let second = try file(#"{"app_id": 2, "app_name": "Deux"}"# + "\n" + #"{"app_id": 3, "app_name": "Three"}"#)
        #expect(try await store.load(second) == RowChanges(added: 1, changed: 1))
        #expect(try await store.load(second) == RowChanges(unchanged: 2))
        #expect(try await names() == ["1 One", "2 Deux", "3 Three"])
        #expect(try await store.load(second, replacing: true) == RowChanges(unchanged: 2, removed: 1))
        #expect(try await names() == ["2 Deux", "3 Three"])
        #expect(try await store.appNames(limit: 1).map(\.name) == ["Deux"])
    }

    /// All rows with all their columns.
    private func rows() async throws -> [String?] {
        try await database.column("SELECT t::text FROM attribution.app_name AS t ORDER BY app_id")
    }

    @Test("A load is shown row by row, kept in the list of loads, and taken back to the last column")
    func takenBack() async throws {
        _ = try await store.load(file("app_id,app_name\n1,One\n2,Two\n3,Three\n"))
        let before = try await rows()
        let change = try file("app_id,app_name\n2,Deux\n3,Three\n4,Four\n")
        let trial = try await store.load(change, from: .test, replacing: true, ending: .rollback)
        let plan = try #require(trial.plan)
        #expect(
            plan.rows.map(\.text) == [
                "removed: app 1: app name One", "changed: app 2: app name Two becomes app name Deux",
                "new: app 4: app name Four",
            ])
        #expect(try await rows() == before)
        let load = try await store.load(
            change, from: .test, replacing: true, ending: .commitIf(plan.confirmation))
        #expect(try await names() == ["2 Deux", "3 Three", "4 Four"])
        let loads = try await store.loads(of: [.appNames], limit: 5)
        #expect(
            loads.map(\.changes) == [
                RowChanges(added: 1, changed: 1, unchanged: 1, removed: 1), RowChanges(added: 3),
            ])
        #expect(loads.map(\.author) == ["system user test", "system user test"])
        #expect(loads.map(\.canBeTakenBack) == [true, false])
        _ = try await store.takeBack(.appNames, load.load, by: author)
        #expect(try await rows() == before)
        _ = try await store.takeBack(.appNames, by: author)
        #expect(try await rows() == [])
        await #expect(throws: TakeBackError.none(.appNames)) { _ = try await store.takeBack(.appNames, by: author) }
    }

    @Test("If a name was written since, a load that was shown is not stored, and the load before it stays")
    func writtenSince() async throws {
        let first = try await store.load(file("app_id,app_name\n1,One\n2,Two\n"), from: .test)
        let change = try file("app_id,app_name\n2,Deux\n")
        let shown = try #require(try await store.load(change, from: .test, ending: .rollback).plan).confirmation
        try await database.run("UPDATE attribution.app_name SET app_name = 'Zwei', loaded_at = now() WHERE app_id = 2")
        let before = try await rows()
        let changed = try await #require(throws: ChangedLoad.self) {
            _ = try await store.load(change, from: .test, ending: .commitIf(shown))
        }
        #expect("\(changed)".hasSuffix("What happened since: this row was written: app 2"), "\(changed)")
        let refusal = try await #require(throws: TakeBackError.self) {
            _ = try await store.takeBack(.appNames, by: author)
        }
        #expect(
            "\(refusal)"
                == "1 of the rows of load \(first.load) were changed after it, so it can't be taken back: app 2")
        #expect(try await rows() == before)
    }

    @Test("A row without an app or a name, a name with control characters and an app that is there twice are refused")
    func refusals() throws {
        for (text, problem) in [
            ("app_id,app_name\n-1,One\n", "line 2: app_id: must be an integer from 0"),
            ("app_id,app_name\n1,\n", "line 2: app_name: must be given"),
            ("app_id,app_name\n1,a\u{7}\n", "line 2: app_name: must be 1 to 200 bytes"),
            ("app_id,app_name\n1,One\n2,Two\n1,Uno\n", "line 4: app_id: line 2 has the same app"),
            ("app_id,title\n1,One\n", "title"),
        ] {
            let refusal = #expect(throws: TableErrors.self) { try file(text) }
            #expect(refusal.map { "\($0)" }?.contains(problem) == true, "\(String(describing: refusal))")
        }
    }
}
