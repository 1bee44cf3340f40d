import CampaignData
import PostgresClient
import TabularFiles
import TestSupport
import Testing

@Suite("Reading spend files and currency rates")
struct SpendReadingTests {
    @Test(
        "A wrong field is refused by its name and rule",
        arguments: [
            (["day": "2026-13-01"], "day: must be a day such as 2026-11-22, not \"2026-13-01\""),
            (["spend": "-1"], "spend: must be a number from 0 to 999999999999.999999 with at most six decimal places"),
            (
                ["spend": "1.1234567"],
                "spend: must be a number from 0 to 999999999999.999999 with at most six decimal places"
            ),
            (["currency": "usd"], "currency: must be a currency in three capital letters (ISO 4217)"),
            (["currency": "DEM"], "currency: must be a currency in three capital letters (ISO 4217)"),
            (["advertised_app_id": "app"], "advertised_app_id: must be an integer from 0 to"),
            (["campaign_id": ""], "campaign_id: must be given"), (["country": "USA"], "country: must be two capital"),
            (["clicks": "1.5"], "clicks: must be an integer from 0 to"),
        ])
    func wrongFields(_ fields: [String: String], _ problem: String) throws {
        let refusal = try #require(throws: TableErrors.self) { _ = try SpendFiles([SpendFiles.row(fields)]) }
        #expect(refusal.errors.count == 1)
        #expect(refusal.description.hasPrefix("line 2: \(problem)"), "\(refusal)")
    }

    @Test("A key that stands twice in a file is refused with both lines, whatever its currency")
    func doubled() throws {
        let refusal = try #require(throws: TableErrors.self) {
            _ = try SpendFiles([
                SpendFiles.row(), SpendFiles.row(["creative_id": "x"]),
                SpendFiles.row(["currency": "EUR", "ad_network_id": "COM.EXAMPLE.skadnetwork"]),
                SpendFiles.row(["country": "US"]),
            ])
        }
        #expect(
            refusal.description
                == "line 4: day: line 2 has the same day, network, app, campaign, ad group, creative and country")
    }

    @Test(
        "A wrong rate is refused by its rule",
        arguments: [
            ("2026-11-20,EUR,0", "units_per_usd: must be a number from 0.000001 to"),
            ("2026-11-20,USD,1.1", "units_per_usd: must be 1 for USD"),
            ("2026-11-20,EURO,1", "currency: must be a currency"), ("20.11.2026,EUR,1", "day: must be a day"),
            ("2026-11-20,GBP,2", "day: line 2 has the same day and currency"),
        ])
    func wrongRates(_ row: String, _ problem: String) throws {
        let refusal = try #require(throws: TableErrors.self) {
            try SpendFiles.rates("day,currency,units_per_usd\n2026-11-20,GBP,0.75\n" + row)
        }
        #expect(refusal.description.hasPrefix("line 3: \(problem)"), "\(refusal)")
    }

    @Test("USD may stand in a file with the rate 1")
    func usDollar() throws {
        #expect(try SpendFiles.rates("day,currency,units_per_usd\n2026-11-20,USD,1.000").rates.count == 1)
    }
}
