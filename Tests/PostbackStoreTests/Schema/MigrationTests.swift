import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore

@Suite("Migrations")
struct MigrationTests {
    @Test("the compiled-in list is the folder's")
    func compiledIn() throws {
        let migrations = try Migration.load(folder: TestEnvironment.root + "migrations")
        #expect(migrations.map { Schema.Step(name: $0.name, checksum: $0.checksum) } == Schema.steps)
    }

    @Test("a folder with a gap in its numbers, or none at all, is refused")
    func folders() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        #expect(throws: SchemaError.unreadableFolder(folder.path())) { try Migration.load(folder: folder.path()) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("SELECT 1".utf8).write(to: folder.appending(path: "0002_second.sql"))
        #expect(throws: SchemaError.misnamedFile("0002_second.sql")) { try Migration.load(folder: folder.path()) }
    }
}

@Suite("Migrating a database", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct DatabaseMigrationTests {
    private func check(_ database: TestDatabase) async throws {
        try await database.withPool { try await PostbackStore(pool: $0).checkSchema() }
    }

    @Test("what is applied is not applied again, not even by two at once")
    func twice() async throws {
        try await TestDatabase.with(migrated: false) { database in
            await #expect(throws: SchemaError.behind(missing: Schema.steps[0].name)) { try await check(database) }
            async let first = database.migrate()
            async let second = database.migrate()
            let applied = try await first + second
            #expect(applied.sorted() == Schema.steps.map(\.name))
            #expect(try await database.migrate() == [])
            try await check(database)
        }
    }

    @Test("a schema that this build does not know is refused")
    func unknown() async throws {
        try await TestDatabase.with { database in
            try await database.run("UPDATE attribution.schema_migration SET checksum = 'x' WHERE number = 2")
            let edited = SchemaError.unknown(applied: Schema.steps[1].name)
            await #expect(throws: edited) { try await check(database) }
            await #expect(throws: edited) { try await database.migrate() }
        }
        try await TestDatabase.with { database in
            try await database.run(
                "INSERT INTO attribution.schema_migration (number, name, checksum) VALUES (999, '0999_later', 'x')")
            await #expect(throws: SchemaError.unknown(applied: "0999_later")) { try await check(database) }
        }
    }

    @Test("a file other than the one this build was made with is refused, and nothing is applied")
    func editedFile() async throws {
        try await TestDatabase.with(migrated: false) { database in
            var migrations = try Migration.load(folder: TestEnvironment.root + "migrations")
            migrations[1] = try #require(Migration(fileName: migrations[1].name + ".sql", script: "SELECT 1"))
            let edited = migrations
            await #expect(throws: SchemaError.unknownFolder(edited[1].name)) {
                try await database.withPool { try await PostbackStore.migrate(edited, over: $0) }
            }
            #expect(try await database.value("SELECT to_regclass('attribution.postback')") == nil)
        }
    }

    @Test("figures that were counted before winners and losers stood apart stay as they are")
    func olderFigures() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let migrations = try Migration.load(folder: TestEnvironment.root + "migrations")
            let first = try #require(migrations.firstIndex { $0.name == "0006_won_and_lost_values" })
            try await database.run("CREATE SCHEMA attribution")
            for migration in migrations[..<first] { try await database.run(migration.script) }
            try await database.run(
                """
                INSERT INTO attribution.conversion_value_daily
                SELECT '2026-11-01', 'production', false, 'skadnetwork', 'com.example', 'campaign-id', '42', 7, 0, value,
                       '', 10 + value
                  FROM generate_series(-1, 63) AS value
                """)
            let view = "SELECT r::text FROM attribution.report_conversion_value_daily AS r ORDER BY 1"
            let before = try await database.column(view)
            for migration in migrations[first...] { try await database.run(migration.script) }
            #expect(before.count == 65)
            #expect(try await database.column(view) == before)
        }
    }
}
