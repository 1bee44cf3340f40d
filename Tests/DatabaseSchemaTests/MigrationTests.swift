import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import DatabaseSchema
@testable import PostbackStore

@Suite("Migrations")
struct MigrationTests {
    @Test("The program contains each file of the folder, byte for byte, in the order of their names")
    func embedded() throws {
        let folder = "migrations/"
        let names = try FileManager.default.contentsOfDirectory(atPath: TestEnvironment.root + folder)
            .filter { $0.hasSuffix(".sql") }.sorted()
        #expect(Migration.all.map { $0.name + ".sql" } == names)
        for (migration, name) in zip(Migration.all, names) {
            let file = try TestEnvironment.file(folder + name)
            #expect(Array(migration.script.utf8) == file)
        }
    }

    @Test("A migration never changes: migrations/SHA256SUMS has the SHA-256 of each")
    func kept() throws {
        let lines = String(decoding: try TestEnvironment.file("migrations/SHA256SUMS"), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        for migration in Migration.all {
            #expect(
                lines.contains("\(migration.checksum)  \(migration.name).sql"),
                """
                \(migration.name).sql is new or has changed. If it is new, run scripts/migration-checksums.sh. If it has \
                changed, databases to which it was applied are refused: put it back, and write a new migration. If no \
                database has it yet, run scripts/migration-checksums.sh --anew.
                """)
        }
        #expect(lines.count == Migration.all.count, "a migration is gone; put it back")
    }

    @Test("The program contains each file of definitions, byte for byte")
    func embeddedDefinitions() throws {
        let folder = "definitions/"
        let names = try FileManager.default.contentsOfDirectory(atPath: TestEnvironment.root + folder)
            .filter { $0.hasSuffix(".sql") }
        #expect(Set(Definitions.all.files.map { $0.name + ".sql" }) == Set(names))
        #expect(Definitions.all.files.count == names.count)
        for file in Definitions.all.files {
            #expect(try Array(file.script.utf8) == TestEnvironment.file(folder + file.name + ".sql"))
        }
    }

    @Test("If the text of the definitions changes, their number does: run scripts/definitions-revision.sh")
    func revision() throws {
        let header = String(
            decoding: try TestEnvironment.file("Sources/CSchema/include/definitions_revision.h"), as: UTF8.self)
        #expect(header.contains(Definitions.all.checksum))
        #expect(header.contains("#define DEFINITIONS_REVISION \(Definitions.all.revision)\n"))
    }

    @Test("Numbers count from 1, and a name begins with its number")
    func numbers() {
        #expect(Migration.all.map(\.number) == Array(1...Int32(Migration.all.count)))
        for migration in Migration.all {
            #expect(Int32(migration.name.prefix(4)) == migration.number)
            #expect(migration.name.dropFirst(4).first == "_")
        }
    }

    @Test("A checksum is the SHA-256 of the file")
    func checksum() {
        let migration = Migration(number: 12, name: "0012_more_reports", script: "SELECT 1")
        #expect(migration.checksum == "e004ebd5b5532a4b85984a62f8ad48a81aa3460c1ca07701f386135d72cdecf5")
    }
}

@Suite("Migrating a database", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct DatabaseMigrationTests {
    private let database = TestDatabase.current

    private func check(_ database: TestDatabase) async throws {
        try await database.withPool { try await PostbackStore(pool: $0).checkSchema() }
    }

    /// A database with the table of applied migrations and one row in it.
    private func apply(_ name: String, _ database: TestDatabase) async throws {
        try await database.run(
            """
            CREATE SCHEMA attribution;
            CREATE TABLE attribution.schema_migration (
                number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now());
            INSERT INTO attribution.schema_migration (number, name, checksum) VALUES (1, '\(name)', 'x')
            """)
    }

    @Test("A migration is applied once, even if two servers migrate at once", .database(migrated: false))
    func twice() async throws {
        let behind = SchemaError.behind(missing: Migration.all[0].name)
        await #expect(throws: behind) { try await check(database) }
        async let first = database.migrate()
        async let second = database.migrate()
        let applied = try await first + second
        #expect(applied == Migration.all.map(\.name) + [Definitions.all.name])
        #expect(try await database.migrate() == [])
        try await check(database)
        let lanes = try await database.value("SELECT count(*) FROM attribution.lane")
        #expect(lanes == "\(PostbackStore.defaultLanes)")
    }

    @Test("A schema that lacks the last migration is refused until it is applied", .database)
    func behind() async throws {
        let last = try #require(Migration.all.last)
        try await database.run("DELETE FROM attribution.schema_migration WHERE number = \(last.number)")
        await #expect(throws: SchemaError.behind(missing: last.name)) { try await check(database) }
    }

    @Test("A migration that this build does not know, or with another text, is refused", .database)
    func unknown() async throws {
        try await TestDatabase.with { database in
            try await database.run("UPDATE attribution.schema_migration SET checksum = 'x' WHERE number = 2")
            let edited = SchemaError.unknown(applied: Migration.all[1].name)
            await #expect(throws: edited) { try await check(database) }
            await #expect(throws: edited) { try await database.migrate() }
            // Before definitions had a number.
            try await database.run("ALTER TABLE attribution.schema_definitions DROP COLUMN revision")
            await #expect(throws: edited) { try await check(database) }
            await #expect(throws: edited) { try await database.migrate() }
        }
        try await database.run(
            "INSERT INTO attribution.schema_migration (number, name, checksum) VALUES (999, '0999_later', 'x')")
        let later = SchemaError.unknown(applied: "0999_later")
        await #expect(throws: later) { try await check(database) }
        await #expect(throws: later) { try await database.migrate() }
    }

    @Test("A schema of a version before 0.2 is refused and not changed")
    func beforeLog() async throws {
        try await TestDatabase.with(migrated: false) { database in
            try await apply("0001_postback", database)
            await #expect(throws: SchemaError.beforeLog) { try await check(database) }
            await #expect(throws: SchemaError.beforeLog) { try await database.migrate() }
            #expect(try await database.value("SELECT to_regclass('attribution.line')") == nil)
            #expect(try await database.column("SELECT name FROM attribution.schema_migration") == ["0001_postback"])
        }
        let text = SchemaError.beforeLog.description
        #expect(text.contains("before 0.2"))
        #expect(text.contains("use a new database"))
    }

    @Test("A migration that is edited is refused before anything is applied", .database(migrated: false))
    func edited() async throws {
        let first = Migration.all[0].name
        try await apply(first, database)
        await #expect(throws: SchemaError.unknown(applied: first)) { try await database.migrate() }
        #expect(try await database.value("SELECT to_regclass('attribution.line')") == nil)
    }

    @Test(
        "The number of lanes is chosen once: another number is refused, the same one is not",
        .database(migrated: false), arguments: [1, 3, 1_024])
    func lanes(_ count: Int) async throws {
        try await database.migrate(lanes: count)
        let lanes = "SELECT l::text FROM attribution.lane AS l ORDER BY lane"
        let before = try await database.column(lanes)
        #expect(before.count == count)
        await #expect(throws: SchemaError.otherLanes(stored: count)) {
            try await database.migrate(lanes: count + 1)
        }
        #expect(try await database.migrate(lanes: count) == [])
        #expect(try await database.migrate() == [])
        #expect(try await database.column(lanes) == before)
        #expect(SchemaError.otherLanes(stored: count).description.contains("\(count) lanes"))
    }

    @Test(
        "The time zone of days is chosen once: another one is refused, and one that nobody knows before that",
        .database(migrated: false))
    func timeZone() async throws {
        for unknown in ["Berlin", "UTC+3", "PST'", ""] {
            await #expect(throws: SchemaError.unknownTimeZone(unknown)) {
                try await database.migrate(timeZone: unknown)
            }
        }
        try await database.migrate(timeZone: "Europe/Berlin")
        #expect(try await database.value("SELECT attribution.time_zone()") == "Europe/Berlin")
        await #expect(throws: SchemaError.otherTimeZone(stored: "Europe/Berlin")) {
            try await database.migrate(timeZone: "UTC")
        }
        #expect(try await database.migrate(timeZone: "Europe/Berlin") == [])
        #expect(try await database.migrate() == [])
        #expect(try await database.value("SELECT attribution.day_of('2026-07-01T22:30:00Z')") == "2026-07-02")
    }

    @Test(
        "If two servers migrate at once with different numbers of lanes, one creates them and the other is refused",
        .database(migrated: false))
    func lanesAtOnce() async throws {
        let results = await withTaskGroup(of: Result<[String], any Error>.self) { group in
            for lanes in [2, 3] {
                group.addTask {
                    do { return .success(try await database.migrate(lanes: lanes)) } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let stored = try #require(Int(try await database.value("SELECT count(*) FROM attribution.lane") ?? ""))
        #expect(stored == 2 || stored == 3)
        let errors = results.compactMap { result in
            if case .failure(let error) = result { error as? SchemaError } else { nil }
        }
        #expect(errors == [.otherLanes(stored: stored)])
    }
}
