import AdAttribution
import PostgresClient
import TabularFiles
import TestSupport
import Testing

@testable import CampaignData

@Suite("Reading mapping files")
struct MappingReadingTests {
    @Test("A row has all its columns, and a row of the table gives the same file again")
    func columns() throws {
        let text = MappingFiles.csv([
            [
                "ad_network_id": "Example123.SKAdNetwork", "campaign_type": "source-identifier", "identifier": "039",
                "country": "US", "source_app": "1234567891", "advertised_app_id": "525463029",
                "protocol": "skadnetwork", "valid_from": "2026-10-01", "valid_to": "2026-10-31", "cool_down_days": "60",
                "campaign_id": "1001", "campaign_name": "Autumn, \"all\"", "ad_group_id": "77", "ad_group_name": "US",
                "creative_id": "9", "creative_name": "Film", "geo": "US",
            ],
            ["campaign_type": "campaign-id", "identifier": "42", "campaign_id": "1002"],
        ])
        let file = try MappingFiles.read(text)
        #expect(file.entries.map(\.line) == [2, 3])
        let first = try #require(file.entries.first).mapping
        #expect(first.conditions.network.text == "example123.skadnetwork")
        #expect(first.conditions.campaign.text == "039")
        #expect(first.conditions.source?.appID?.value == 1_234_567_891)
        #expect(first.validTo == PostgresDate("2026-10-31"))
        #expect(first.coolDownDays == 60)
        #expect(first.names.campaignName == "Autumn, \"all\"")
        let second = try #require(file.entries.last).mapping
        #expect(second.validFrom == CampaignMapping.always)
        #expect(second.validTo == nil)
        #expect(second.coolDownDays == 45)
        let again = CSVText.row(MappingFiles.columns) + file.entries.map { CSVText.row($0.mapping.fields) }.joined()
        #expect(try MappingFiles.read(again).entries == file.entries)
    }

    @Test("NDJSON gives the same rows as CSV")
    func ndjson() throws {
        let row = MappingFiles.group("39", "1001", ["advertised_app_id": "7", "valid_from": "2026-10-01"])
        let json = """
            {"ad_network_id": "com.example", "campaign_type": "source-identifier", "identifier": "39",
            "campaign_id": "1001", "advertised_app_id": 7, "valid_from": "2026-10-01"}
            """.replacing("\n", with: " ")
        #expect(
            try MappingFiles.read(json).entries.map(\.mapping)
                == MappingFiles.read(MappingFiles.csv([row])).entries.map(\.mapping))
    }

    @Test(
        "A wrong field is refused by its name and rule",
        arguments: [
            (["ad_network_id": "com example"], "ad_network_id: must be 1 to 64 characters out of A-Z a-z 0-9 . -"),
            (["campaign_type": "campaign"], "campaign_type: must be campaign-id or source-identifier"),
            (["identifier": "12345"], "identifier: must be the last 1 to 4 digits of source identifiers"),
            (["identifier": "3x"], "identifier: must be the last 1 to 4 digits of source identifiers"),
            (["campaign_type": "campaign-id", "identifier": "101"], "identifier: must be an integer from 1 to 100"),
            (["campaign_type": "campaign-id", "identifier": "042"], "identifier: must be an integer from 1 to 100"),
            (["identifier": ""], "identifier: must be given"), (["campaign_id": ""], "campaign_id: must be given"),
            (["country": "us"], "country: must be two capital letters"),
            (["source_app": "Example.com"], "source_app: must be the id of an app, or a domain in lower case"),
            (["advertised_app_id": "-1"], "advertised_app_id: must be an integer from 0 to"),
            (["advertised_app_id": "9223372036854775808"], "advertised_app_id: must be an integer from 0 to"),
            (["protocol": "SKAN"], "protocol: must be skadnetwork or adattributionkit"),
            (["valid_from": "2026-02-30"], "valid_from: must be a day such as 2026-11-22"),
            (["valid_to": "31.10.2026"], "valid_to: must be a day such as 2026-11-22"),
            (["valid_from": "2026-10-02", "valid_to": "2026-10-01"], "valid_to: must not be before valid_from"),
            (["cool_down_days": "4000"], "cool_down_days: must be an integer from 0 to 3650"),
            (["geo": "USA"], "geo: must be two capital letters"),
            (["country": "US", "geo": "DE"], "geo: must be the row's country, US, or empty"),
            (
                ["campaign_name": "a\u{7}"],
                "campaign_name: must be 1 to 200 bytes of text without control characters, and not only blanks"
            ),
        ])
    func wrongFields(_ fields: [String: String], _ problem: String) throws {
        let text = MappingFiles.csv([MappingFiles.group("39", "1001", fields)])
        let refusal = try #require(throws: TableErrors.self) { try MappingFiles.read(text) }
        #expect(refusal.errors.count == 1)
        #expect(refusal.description.hasPrefix("line 2: \(problem)"), "\(refusal)")
    }

    @Test("All fields of a row that are wrong are named")
    func severalFields() throws {
        let text = MappingFiles.csv([MappingFiles.group("39", "", ["country": "usa", "valid_from": "now"])])
        let refusal = try #require(throws: TableErrors.self) { try MappingFiles.read(text) }
        #expect(refusal.errors.map(\.field) == ["country", "campaign_id", "valid_from"])
    }

    @Test("Two rows that could tie are refused, with both lines")
    func ties() throws {
        let rows = [
            MappingFiles.group("39", "a", ["valid_from": "2026-10-01", "valid_to": "2026-10-31"]),
            MappingFiles.group("39", "b", ["valid_from": "2026-10-31"]),
            MappingFiles.group("39", "c", ["valid_from": "2026-10-31", "ad_network_id": "COM.EXAMPLE.skadnetwork"]),
        ]
        let refusal = try #require(throws: TableErrors.self) { try MappingFiles.read(MappingFiles.csv(rows)) }
        #expect(
            refusal.errors.map(\.description) == [
                "line 3: valid_from: line 2 has the same conditions, and its days overlap with these; one of the two must "
                    + "end first",
                "line 4: valid_from: line 3 has the same conditions and the same first day",
            ])
    }

    @Test("Rows whose conditions differ, or of which one ends before the next or has no end, do not tie")
    func noTies() throws {
        let rows = [
            MappingFiles.group("39", "a", ["valid_from": "2026-10-01", "valid_to": "2026-10-31"]),
            MappingFiles.group("39", "b", ["valid_from": "2026-11-01"]),
            MappingFiles.group("39", "c", ["valid_from": "2026-12-01"]),
            MappingFiles.group("039", "d", ["valid_from": "2026-10-01"]),
            MappingFiles.group("39", "e", ["valid_from": "2026-10-01", "country": "US"]),
            MappingFiles.group("39", "f", ["valid_from": "2026-10-01", "source_app": "7"]),
            MappingFiles.group("39", "g", ["valid_from": "2026-10-01", "advertised_app_id": "7"]),
            MappingFiles.group("39", "h", ["valid_from": "2026-10-01", "protocol": "skadnetwork"]),
            MappingFiles.group("39", "i", ["campaign_type": "campaign-id"]),
        ]
        #expect(try MappingFiles.read(MappingFiles.csv(rows)).entries.count == rows.count)
    }
}
