import PostgresClient
import TabularFiles
import TestSupport
import Testing

@testable import CampaignData
@testable import PostbackStore

@Suite("Names of apps", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct AppNameTests {
    private let store = PostbackStore.current

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
        #expect(try await store.load(first, ending: .rollback) == RowChanges(added: 2))
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

    @Test("A row without an app or a name, a name with control characters and an app that is there twice are refused")
    func refusals() throws {
        for (text, problem) in [
            ("app_id,app_name\n-1,One\n", "line 2: app_id: must be an integer from 0"),
            ("app_id,app_name\n1,\n", "line 2: app_name: must be given"),
            ("app_id,app_name\n1,a\u{7}\n", "line 2: app_name: must be 1 to 200 bytes"),
            ("app_id,app_name\n1,One\n2,Two\n1,Uno\n", "line 4: app_id: line 2 has the same app"),
            ("app_id,title\n1,One\n", "title"),
        ] {
            let refusal = #expect(throws: TableRefusal.self) { try file(text) }
            #expect(refusal.map { "\($0)" }?.contains(problem) == true, "\(String(describing: refusal))")
        }
    }
}
