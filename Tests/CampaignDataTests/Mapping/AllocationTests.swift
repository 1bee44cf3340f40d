import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import CampaignData
@testable import PostbackStore

@Suite("Giving out identifiers", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct AllocationTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    private static let names = CampaignNames(campaignID: "c", campaignName: "Autumn")

    private func wish(
        _ space: IdentifierSpace? = .campaignIDs, app: Int64? = 1, names: CampaignNames? = names,
        network: String = "com.example"
    ) throws -> IdentifierAllocation {
        IdentifierAllocation(
            network: try #require(AdNetworkID(network)), advertisedAppID: app.flatMap(AppID.init),
            space: try #require(space), names: names)
    }

    private func campaign(_ text: String, _ type: CampaignType = .sourceIdentifier) throws -> Campaign {
        try #require(type.campaign(text))
    }

    private let today = PostgresDate("2026-11-22") ?? CampaignMapping.always

    private func day(_ text: String) throws -> PostgresDate { try MappingFiles.day(text) }

    @Test("Callers at once get different identifiers, until none is free", .database(connections: 8))
    func atOnce() async throws {
        let wish = try wish()
        let given = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask { try await store.allocate(wish, on: today).conditions.campaign.text }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(given) == Set((1...100).map(String.init)))
        await #expect(throws: AllocationError.noneFree(.campaignIDs, until: nil)) {
            _ = try await store.allocate(wish, on: today)
        }
        // Another app or network has identifiers of its own; one for all apps has to be free everywhere.
        #expect(try await store.allocate(self.wish(app: 2), on: today).conditions.campaign.text == "1")
        #expect(try await store.allocate(self.wish(network: "com.other"), on: today).conditions.campaign.text == "1")
        await #expect(throws: AllocationError.noneFree(.campaignIDs, until: nil)) {
            _ = try await store.allocate(self.wish(app: nil), on: today)
        }
    }

    @Test(
        "A retired identifier is held back until its cool-down ends, and comes after those that were never used",
        .database)
    func coolDown() async throws {
        try await TestDatabase.with { database in
            try await database.withStore { store in
                let wish = try self.wish(.groups(digits: 2))
                for _ in 0..<100 { _ = try await store.allocate(wish, on: today) }
                let network = wish.network
                let retired = try await store.retire(
                    campaign("39"), of: network, app: AppID(1), lastDay: today, coolDownDays: nil)
                #expect(retired.map(\.campaign) == ["39"])
                #expect(retired.map(\.lastNamedDay) == [try day("2027-01-06")])
                _ = try await store.retire(campaign("40"), of: network, app: AppID(1), lastDay: today, coolDownDays: 10)
                await #expect(throws: AllocationError.noneFree(wish.space, until: try day("2026-12-02"))) {
                    _ = try await store.allocate(wish, on: day("2026-12-02"))
                }
                #expect(try await store.allocate(wish, on: day("2026-12-03")).conditions.campaign.text == "40")
                await #expect(throws: AllocationError.self) {
                    _ = try await store.allocate(wish, on: day("2027-01-06"))
                }
                let again = try await store.allocate(wish, on: day("2027-01-07"))
                #expect(again.conditions.campaign.text == "39")
                #expect(try await database.campaign("39", "2027-01-06") == "c")
            }
        }
        let wish = try self.wish()
        _ = try await store.allocate(wish, on: today)
        _ = try await store.retire(
            campaign("1", .campaignID), of: wish.network, app: AppID(1), lastDay: today, coolDownDays: 0)
        #expect(try await store.allocate(wish, on: day("2026-12-01")).conditions.campaign.text == "2")
    }

    @Test("A group within or around a group that is in use is given out only inside the group that is named")
    func groups() async throws {
        try await TestDatabase.with { database in
            try await database.withStore { store in
                let two = try await store.allocate(wish(.groups(digits: 2)), on: today)
                #expect(two.conditions.campaign.text == "00")
                #expect(two.validFrom == today)
                // 000 to 900 in steps of 100 end with 00.
                let three = try await store.allocate(wish(.groups(digits: 3)), on: today)
                #expect(three.conditions.campaign.text == "001")
                let four = try await store.allocate(wish(.groups(digits: 4)), on: today)
                #expect(four.conditions.campaign.text == "1002")
                let next = try await store.allocate(wish(.groups(digits: 2)), on: today)
                #expect(next.conditions.campaign.text == "03")

                let around = try #require(SourceIdentifier("00"))
                var inside = try wish(.groups(digits: 3, within: around), names: nil)
                #expect(try await store.allocate(inside, on: today).conditions.campaign.text == "000")
                let second = try await store.allocate(inside, on: today)
                #expect(second.conditions.campaign.text == "100")
                #expect(second.names == Self.names)
                inside = try wish(.groups(digits: 4, within: around), names: nil)
                #expect(try await store.allocate(inside, on: today).conditions.campaign.text == "1200")
                let group = try #require(SourceIdentifier("77"))
                inside = try wish(.groups(digits: 3, within: group), names: nil)
                await #expect(throws: AllocationError.noGroup(group)) {
                    _ = try await store.allocate(inside, on: today)
                }
            }
        }
        #expect(IdentifierSpace.groups(digits: 1) == nil)
        #expect(IdentifierSpace.groups(digits: 5) == nil)
        #expect(IdentifierSpace.groups(digits: 2, within: SourceIdentifier("39")) == nil)
    }

    @Test("A retirement ends the groups within, and refuses an identifier that is not active", .database)
    func retirement() async throws {
        let network = try #require(AdNetworkID("com.example"))
        _ = try await store.load(
            MappingFiles.read(
                MappingFiles.csv([
                    MappingFiles.group("39", "a"), MappingFiles.group("239", "a"),
                    MappingFiles.group("239", "a", ["country": "US"]), MappingFiles.group("40", "b"),
                    MappingFiles.group("39", "p", ["valid_from": "2027-01-01", "advertised_app_id": "7"]),
                ])))
        let retired = try await store.retire(campaign("39"), of: network, app: nil, lastDay: today)
        #expect(retired.map(\.campaign) == ["39", "239"])
        #expect(
            try await database.column(
                """
                SELECT identifier || ' ' || count(*) FROM attribution.campaign_mapping
                 WHERE valid_to = '2026-11-22' GROUP BY identifier ORDER BY 1
                """) == ["239 2", "39 1"])
        await #expect(throws: AllocationError.notActive(try campaign("39"))) {
            _ = try await store.retire(campaign("39"), of: network, app: nil, lastDay: today)
        }
        await #expect(throws: AllocationError.notBegun(try campaign("39"), try day("2027-01-01"))) {
            _ = try await store.retire(campaign("39"), of: network, app: AppID(7), lastDay: today)
        }
        await #expect(throws: AllocationError.notActive(try campaign("10", .campaignID))) {
            let apple = try #require(AdNetworkID("com.apple.ads"))
            _ = try await store.retire(campaign("10", .campaignID), of: apple, app: nil, lastDay: today)
        }
    }

    @Test("An identifier that postbacks or impressions had lately is not given out, mapped or not", .database)
    func seen() async throws {
        try await database.run(
            """
            INSERT INTO attribution.network VALUES
                (1, 'production', 'skadnetwork', 'com.example'), (2, 'test', 'skadnetwork', 'com.example');
            INSERT INTO attribution.line
            SELECT n, CASE n WHEN 3 THEN 2 ELSE 1 END, CASE n WHEN 3 THEN 'test' ELSE 'production' END,
                   'skadnetwork', 'com.example', false, 'campaign-id', n::text, 1 FROM generate_series(1, 4) AS n;
            INSERT INTO attribution.campaign_daily (line, day, impressions) VALUES
                (1, '2026-10-09', 1), (2, '2026-10-08', 1), (3, '2026-11-21', 1), (4, '2026-11-21', 1);
            """)
        let free = try await store.freeIdentifiers(network: AdNetworkID("com.example"), app: AppID(1), on: today)
        #expect(free.map(\.campaignIDs) == [98])
        let wish = try wish()
        #expect(try await store.allocate(wish, on: today).conditions.campaign.text == "2")
        #expect(try await store.allocate(wish, on: today).conditions.campaign.text == "3")
        #expect(try await store.allocate(wish, on: today).conditions.campaign.text == "5")
    }

    @Test("Free identifiers are counted for each kind", .database)
    func counts() async throws {
        _ = try await store.load(
            MappingFiles.read(
                MappingFiles.csv([
                    MappingFiles.group("39", "a"),
                    MappingFiles.group("5140", "b", ["valid_to": "2026-11-01"]),
                    ["campaign_type": "campaign-id", "identifier": "42", "campaign_id": "c"],
                ])))
        #expect(
            try await store.freeIdentifiers(on: today) == [
                FreeIdentifiers(
                    network: "com.example", advertisedAppID: nil, campaignIDs: 99, groups2: 98, groups3: 989,
                    groups4: 9_000 - 90 - 1)
            ])
    }
}
