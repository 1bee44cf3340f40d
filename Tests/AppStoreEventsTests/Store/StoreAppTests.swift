import AppStoreData
import PostbackStore
import TestSupport
import Testing

@testable import AppStoreEvents

@Suite("App Store ids of apps", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct StoreAppTests {
    @Test("Those of the key ring are written down where they changed; an app that has left it keeps its id")
    func notes() async throws {
        let database = TestDatabase.current
        let store = PostbackStore.current
        let rows = "SELECT concat_ws(' ', bundle_id, app_id) FROM attribution.store_app_id ORDER BY bundle_id"
        let versions = "SELECT xmin::text FROM attribution.store_app_id ORDER BY bundle_id"
        try await store.note(storeApps: [])
        try await store.note(storeApps: [
            StoreApp(bundleID: "com.example.a", appID: 7), StoreApp(bundleID: "com.example.b", appID: nil),
            StoreApp(bundleID: "com.example.c", appID: 8),
        ])
        #expect(try await database.column(rows) == ["com.example.a 7", "com.example.c 8"])
        let written = try await database.column(versions)
        try await store.note(storeApps: [StoreApp(bundleID: "com.example.a", appID: 7)])
        #expect(try await database.column(versions) == written)
        try await store.note(storeApps: [StoreApp(bundleID: "com.example.c", appID: 9)])
        #expect(try await database.column(rows) == ["com.example.a 7", "com.example.c 9"])
    }
}
