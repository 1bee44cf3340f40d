import PostbackStore
import Testing

@Suite("Names of migrations")
struct MigrationNameTests {
    @Test("a name is four digits, an underline, a word and .sql")
    func good() throws {
        let migration = try #require(Migration(fileName: "0012_more_reports.sql", script: "SELECT 1"))
        #expect(migration.number == 12)
        #expect(migration.name == "0012_more_reports")
        #expect(migration.checksum == "e004ebd5b5532a4b85984a62f8ad48a81aa3460c1ca07701f386135d72cdecf5")
    }

    @Test(
        "anything else is none",
        arguments: [
            "001_a.sql", "00001_a.sql", "+001_a.sql", "-001_a.sql", "0001a.sql", "a_0001.sql", "0001_a.txt", "_.sql",
            "٠٠٠١_a.sql", "",
        ])
    func bad(_ name: String) {
        #expect(Migration(fileName: name, script: "") == nil)
    }
}
