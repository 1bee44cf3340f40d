import AuditTrail
import PostgresClient
import TabularFiles
import TestSupport
import Testing

@testable import AdAttribution
@testable import CampaignData
@testable import PostbackStore

@Suite("Loading mapping files", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct MappingLoadTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    private func file(_ rows: [String: String]...) throws -> CampaignMappingFile {
        try MappingFiles.read(MappingFiles.csv(rows))
    }

    @Test("To load a file twice changes nothing, not even the time of loading")
    func twice() async throws {
        let file = try file(
            MappingFiles.group("39", "a", ["valid_from": "2026-10-01"]), MappingFiles.group("239", "a"),
            ["campaign_type": "campaign-id", "identifier": "42", "campaign_id": "c", "country": "US"])
        #expect(try await store.load(file) == RowChanges(added: 3))
        let rows = "SELECT m::text FROM attribution.campaign_mapping AS m ORDER BY mapping"
        let before = try await database.column(rows)
        #expect(try await store.load(file) == RowChanges(unchanged: 3))
        #expect(try await store.load(file, replacing: true) == RowChanges(unchanged: 3))
        #expect(try await database.column(rows) == before)
    }

    @Test("A row with the same conditions and first day is replaced, and others stay unless the network is replaced")
    func replaced() async throws {
        let other = MappingFiles.group("39", "x", ["ad_network_id": "com.other"])
        _ = try await store.load(file(MappingFiles.group("39", "a"), MappingFiles.group("40", "b"), other))
        let change = try file(MappingFiles.group("39", "c", ["geo": "DE"]), MappingFiles.group("41", "d"))
        #expect(try await store.load(change) == RowChanges(added: 1, changed: 1))
        let campaigns = "SELECT campaign_id FROM attribution.campaign_mapping WHERE NOT is_built_in ORDER BY 1"
        #expect(try await database.column(campaigns) == ["b", "c", "d", "x"])
        #expect(try await store.load(change, replacing: true) == RowChanges(unchanged: 2, removed: 1))
        #expect(try await database.column(campaigns) == ["c", "d", "x"])
    }

    @Test("A row without a last day ends when the next one begins, in the same file or in a later one")
    func openRows() async throws {
        let first = try file(MappingFiles.group("39", "a", ["valid_from": "2026-10-01"]))
        let second = try file(
            MappingFiles.group("39", "b", ["valid_from": "2026-11-01"]),
            MappingFiles.group("39", "c", ["valid_from": "2026-11-20", "valid_to": "2026-11-30"]))
        _ = try await store.load(first)
        #expect(try await database.mappings() == ["39 2026-10-01 - infinity a"])
        _ = try await store.load(second)
        let both = [
            "39 2026-10-01 - 2026-10-31 a", "39 2026-11-01 - 2026-11-19 b",
            "39 2026-11-20 2026-11-30 2027-01-14 c",
        ]
        #expect(try await database.mappings() == both)
        #expect(try await store.load(first) == RowChanges(unchanged: 1))
        #expect(try await database.mappings() == both)
    }

    @Test(
        "A row that another one ends earlier counts as changed and is listed with its last day; taken back, it is as before"
    )
    func endedRows() async throws {
        _ = try await store.load(file(MappingFiles.group("39", "a", ["valid_from": "2026-10-01"])))
        let rows = "SELECT m::text FROM attribution.campaign_mapping AS m ORDER BY mapping"
        let before = try await database.column(rows)
        let next = try file(MappingFiles.group("39", "b", ["valid_from": "2026-11-09"]))
        let trial = try await store.load(next, from: .test, ending: .rollback)
        #expect(trial.changes == RowChanges(added: 1, changed: 1) && trial.changes.losesRows)
        let name = "com.example, source-identifier 39, from"
        #expect(
            trial.plan?.rows.map(\.text) == [
                "changed: \(name) 2026-10-01: last day open becomes last day 2026-11-08: another row begins on 2026-11-09",
                "new: \(name) 2026-11-09: campaign id b, cool down days 45",
            ])
        #expect(try await store.load(next) == RowChanges(added: 1, changed: 1))
        #expect(try await database.mappings() == ["39 2026-10-01 - 2026-11-08 a", "39 2026-11-09 - infinity b"])
        _ = try await store.takeBack(.mapping, by: .systemUser("test"))
        #expect(try await database.column(rows) == before)
        // A row that the file has too is counted once.
        let both = try file(
            MappingFiles.group("39", "a", ["valid_from": "2026-10-01"]),
            MappingFiles.group("39", "b", ["valid_from": "2026-11-09"]), MappingFiles.group("40", "c"))
        #expect(try await store.load(both) == RowChanges(added: 2, changed: 1))
        #expect(try await store.load(both) == RowChanges(unchanged: 3))
        // Other conditions end nothing, nor does a row of which the days are past.
        let other = try file(
            MappingFiles.group("39", "d", ["valid_from": "2026-10-15", "country": "US"]),
            MappingFiles.group("39", "e", ["valid_from": "2026-01-01", "valid_to": "2026-01-31"]))
        #expect(try await store.load(other) == RowChanges(added: 2))
    }

    @Test("A new row that another one ends says on which day, and the days on which it names postbacks")
    func endedNewRow() async throws {
        _ = try await store.load(file(MappingFiles.group("39", "a", ["valid_from": "2026-10-01"])))
        let early = try file(MappingFiles.group("39", "b"))
        let trial = try await store.load(early, from: .test, ending: .rollback)
        #expect(trial.changes == RowChanges(added: 1))
        #expect(
            trial.plan?.rows.map(\.text) == [
                "new: com.example, source-identifier 39: campaign id b, cool down days 45, last day 2026-09-30: another "
                    + "row begins on 2026-10-01"
            ])
        let entry = try #require(early.entries.first)
        #expect(try await store.namedDays(of: entry.mapping) == nil)
        _ = try await store.load(early)
        let days = try #require(try await store.namedDays(of: entry.mapping))
        #expect(
            days.text == "It is valid from the beginning until 2026-09-30, since another row begins on 2026-10-01.")
        #expect(!days.hasPostbacks)
        _ = try await store.takeBack(.mapping, by: .systemUser("test"))
        #expect(try await database.mappings() == ["39 2026-10-01 - infinity a"])
    }

    @Test("A row takes postbacks from less specific rows of other campaigns that name them on some of its days")
    func losingRows() async throws {
        _ = try await store.load(
            file(
                MappingFiles.group("39", "a"), MappingFiles.group("39", "b", ["advertised_app_id": "7"]),
                MappingFiles.group("39", "c", ["country": "US"]),
                MappingFiles.group("239", "d", ["valid_from": "2026-11-01"])))
        func losing(_ digits: String, _ campaign: String, _ more: [String: String] = [:]) async throws -> [String] {
            let entry = try #require(try file(MappingFiles.group(digits, campaign, more)).entries.first)
            return try await store.losingRows(to: entry.mapping).map(\.title)
        }
        let name = "com.example, source-identifier 39"
        let longer = "com.example, source-identifier 239, from 2026-11-01"
        // A country is more specific than an app, and another app has other postbacks.
        #expect(try await losing("39", "x", ["advertised_app_id": "8"]) == [name])
        #expect(try await losing("39", "a", ["advertised_app_id": "8"]).isEmpty)
        // The row with the same conditions has them.
        #expect(try await losing("39", "x", ["advertised_app_id": "7", "valid_from": "2026-12-01"]).isEmpty)
        #expect(try await losing("39", "x").isEmpty)
        // Until the row of three digits begins, each of the others has some.
        #expect(try await losing("5239", "x") == [longer, name, name + ", app 7", name + ", country US"])
        #expect(try await losing("5239", "x", ["valid_from": "2026-11-15"]) == [longer])
        #expect(try await losing("39", "x", ["advertised_app_id": "8", "ad_network_id": "com.other"]).isEmpty)
    }

    @Test("A network that neither the key ring nor a postback nor spend has is named")
    func unknownNetworks() async throws {
        _ = try await SpendFiles([SpendFiles.row(["campaign_id": "a"])]).load(into: store)
        let notices = try await store.networkNotices(
            ["com.example", "com.exampel", "ring", "com.apple.ads"], keyRing: ["ring"])
        #expect(
            notices == [
                "Notice: neither the key ring nor a postback nor spend has the network com.exampel. Is it spelled right?"
            ])
        #expect(try await store.networkNames(limit: 5) == ["com.apple.ads"])
    }

    @Test("A file is refused as a whole if a row could tie with a stored one, and the line is named")
    func storedTie() async throws {
        _ = try await store.load(
            file(MappingFiles.group("39", "a", ["valid_from": "2026-10-01", "valid_to": "2026-10-31"])))
        let tie = try file(MappingFiles.group("40", "b"), MappingFiles.group("39", "c", ["valid_from": "2026-10-15"]))
        let refusal = try await #require(throws: TableErrors.self) { try await store.load(tie) }
        #expect(
            refusal.description
                == "line 3: valid_from: a stored row has the same conditions, and its days, 2026-10-01 to "
                + "2026-10-31, overlap with these")
        #expect(try await database.mappings() == ["39 2026-10-01 2026-10-31 2026-12-15 a"])
        // A file that shortens the stored row as well, in whatever order, ties with nothing.
        let both = try file(
            MappingFiles.group("39", "c", ["valid_from": "2026-10-15"]),
            MappingFiles.group("39", "a", ["valid_from": "2026-10-01", "valid_to": "2026-10-14"]))
        #expect(try await store.load(both) == RowChanges(added: 1, changed: 1))
    }

    @Test("The database refuses rows that could tie, whoever writes them")
    func byHand() async throws {
        _ = try await store.load(
            file(MappingFiles.group("39", "a", ["valid_from": "2026-10-01", "valid_to": "2026-10-31"])))
        let insert = """
            INSERT INTO attribution.campaign_mapping (ad_network_id, campaign_type, identifier, valid_from,
                                                      campaign_id)
            VALUES ('com.example.skadnetwork', 'source-identifier', '39', '2026-10-31', 'b')
            """
        let error = try await #require(throws: PostgresError.self) { try await database.run(insert) }
        #expect(error.constraint == "campaign_mapping_no_tie")
        try await database.run(
            "UPDATE attribution.campaign_mapping SET valid_to = '2026-10-30' WHERE identifier = '39'")
        try await database.run(insert)
        #expect(
            try await database.mappings() == ["39 2026-10-01 2026-10-30 2026-10-30 a", "39 2026-10-31 - infinity b"])
        try await database.run("DELETE FROM attribution.campaign_mapping WHERE campaign_id = 'b'")
        #expect(try await database.mappings() == ["39 2026-10-01 2026-10-30 2026-12-14 a"])
    }

    @Test("Of files that are loaded at once and tie, one is stored and the other is refused", .database(connections: 6))
    func atOnce() async throws {
        let files = try (1...6).map { number in
            try file(
                MappingFiles.group("39", "c\(number)", ["valid_from": "2026-10-0\(number)", "valid_to": "2026-10-31"]))
        }
        let refusals = await withTaskGroup(of: Bool.self) { group in
            for file in files {
                group.addTask {
                    do {
                        _ = try await store.load(file)
                        return false
                    } catch {
                        return error is TableErrors
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(refusals == 5)
        #expect(try await database.mappings().count == 1)
    }

    @Test("The list gives each row as it was loaded, with its state")
    func list() async throws {
        let text = MappingFiles.csv([
            MappingFiles.group(
                "39", "a", ["valid_from": "2026-10-01", "valid_to": "2026-10-31", "source_app": "x.com"]),
            MappingFiles.group("40", "b", ["valid_from": "2026-12-01"]),
            MappingFiles.group("41", "c", ["advertised_app_id": "7", "geo": "DE", "country": "DE"]),
            MappingFiles.group("42", "d", ["valid_to": "2026-01-31", "protocol": "adattributionkit"]),
        ])
        let file = try MappingFiles.read(text)
        _ = try await store.load(file)
        let rows = try await store.mappings(network: AdNetworkID("Com.Example"), on: MappingFiles.day("2026-11-22"))
        #expect(rows.map(\.state) == [.cooling, .planned, .ended, .active])
        #expect(rows.map { $0.until?.description } == ["2026-12-15", nil, "2026-03-17", nil])
        let entries = file.entries.map(\.mapping)
        #expect(rows.map(\.mapping) == [entries[0], entries[1], entries[3], entries[2]])
        let builtIn = try await store.mappings(
            network: AdNetworkID("com.apple.ads"), on: MappingFiles.day("2026-11-22"))
        #expect(builtIn.map(\.mapping.conditions.campaign.text) == ["10", "20", "30", "40"])
        #expect(builtIn.allSatisfy { $0.isBuiltIn && $0.state == .active })
    }
}
