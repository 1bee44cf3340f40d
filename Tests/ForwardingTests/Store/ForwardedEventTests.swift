import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import Destinations
@testable import EventLog
@testable import Forwarding
@testable import PostbackStore

@Suite(
    "Events for destinations", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase,
    .database)
struct ForwardedEventTests {
    private let fixture: StoreFixture
    private let store = PostbackStore.current
    private var database: TestDatabase { fixture.database }

    init() throws {
        fixture = try StoreFixture()
    }

    /// All events, in pages.
    private func all(limit: Int = 1_000, for filter: DestinationFilter? = nil) async throws -> [ForwardedEvent] {
        var (cursor, events): (LogCursor, [ForwardedEvent]) = (.start, [])
        while true {
            let page = try await store.forwardedEvents(after: cursor, limit: limit, for: filter)
            events += page.events.map(\.event)
            cursor = page.next
            if page.isAtEnd { return events }
        }
    }

    @Test("They say what events say as text, with bodies byte for byte, whatever the limit is", arguments: [7, 1_000])
    func sameAsText(limit: Int) async throws {
        var offers = try fixture.deliveries.many(30)
        offers += try fixture.deliveries.ofOnePostback([.none, .fine(0), .fine(63), .coarse(.high)])
        offers += try fixture.deliveries.ofOnePostback([.coarse(.low), .coarse(.medium), .fine(1)]) {
            ($0.sourceAppID, $0.sourceDomain) = (nil, "example.com")
        }
        for batch in [offers, try fixture.deliveries.many(3)] { _ = try await store.record(batch).map { try $0.get() } }
        let events = Dictionary(uniqueKeysWithValues: try await all(limit: limit).map { ($0.id, $0) })
        let texts = try await database.exportedEvents()
        #expect(events.count == 40 && texts.count == 40)
        for text in texts {
            let event = try #require(events[text["id"] as? String ?? ""])
            #expect(text["event"] as? String == event.kind.rawValue)
            #expect(text["transaction_id"] as? String == event.transactionID.uuidString.lowercased())
            #expect(text["sequence_index"] as? Int == event.sequenceIndex && text["did_win"] as? Bool == event.didWin)
            #expect(text["environment"] as? String == event.environment)
            #expect(text["protocol"] as? String == event.protocolName)
            #expect(text["ad_network_id"] as? String == event.adNetworkID)
            #expect(text["developer_copy"] as? Bool == event.isDeveloperCopy)
            #expect(text["campaign_type"] as? String == event.campaignType)
            #expect(text["campaign"] as? String == event.campaign)
            #expect(text["advertised_app_id"] as? Int64 == event.advertisedAppID)
            #expect(text["conversion_value"] as? Int == event.conversionValue)
            #expect(text["coarse_value"] as? String == event.coarseValue)
            #expect(text["source_app_id"] as? Int64 == event.sourceAppID)
            #expect(text["source_domain"] as? String == event.sourceDomain)
            #expect(text["version"] as? String == event.version)
            #expect(text["country_code"] as? String == event.countryCode)
            #expect(text["fidelity_type"] as? Int == event.fidelityType)
            #expect(text["redownload"] as? Bool == event.redownload)
            #expect(text["body"] as? String == event.body.map { String(decoding: $0, as: UTF8.self) })
            #expect((event.body == nil) == (event.kind == .conflict))
            #expect(event.receivedAt == Deliveries.time.microsecondsSince1970)
        }
    }

    @Test("Each has the cursor after it: whoever goes on there gets the rest, once")
    func cursors() async throws {
        try await fixture.count(12)
        let page = try await store.forwardedEvents(after: .start, limit: 100)
        let ids = page.events.map(\.event.id)
        for (number, item) in page.events.enumerated() {
            let rest = try await store.forwardedEvents(after: item.cursor, limit: 100)
            #expect(Set(rest.events.map(\.event.id)) == Set(ids[(number + 1)...]))
        }
        #expect(page.isAtEnd && ids.count == 12)
    }

    @Test("They have the address and the User-Agent of their delivery, unless these are not kept")
    func origin() async throws {
        let origin = DeliveryOrigin(address: IPAddress("203.0.113.7"), userAgent: "relay/1")
        let offers = [try fixture.deliveries.one(origin: origin), try fixture.deliveries.one()]
        #expect(try await store.record(offers).areAll(.accepted))
        let events = try await all()
        let known = try #require(events.first { $0.transactionID == offers[0].verified.postback.transactionID.uuid })
        #expect(known.sourceAddress == "203.0.113.7" && known.userAgent == "relay/1")
        let unknown = try #require(events.first { $0.transactionID != known.transactionID })
        #expect(unknown.sourceAddress == nil && unknown.userAgent == nil && unknown.body != nil)
    }

    @Test("Once the bodies of a day were dropped, its events have none, and all the rest")
    func droppedBodies() async throws {
        try await fixture.count(5)
        try await store.fold()
        try await store.foldAnswers()
        try await database.moveToday(back: 9)
        try await fixture.count(3)
        var rules = RetentionRules()
        rules.bodyDays = 2
        #expect(try await store.dropExpiredDays(rules).dropped.count == 1)
        let events = try await all()
        #expect(events.count == 8 && events.count { $0.body == nil } == 5)
        #expect(events.allSatisfy { $0.adNetworkID == "example123.skadnetwork" })
    }

    @Test("Only those that a destination gets come with bodies and names")
    func filtered() async throws {
        try await fixture.count(10)
        let filter = DestinationFilter(environments: [.test], apps: [1])
        let events = try await all(for: filter)
        #expect(events.count == 10 && events.allSatisfy { $0.body == nil && $0.meaning == nil })
        let wanted = try await all(for: DestinationFilter(environments: Set(AttributionEnvironment.allCases)))
        #expect(wanted.count == 10 && wanted.allSatisfy { $0.body != nil && $0.meaning != nil })
    }

    @Test(
        "Names and meanings are those that reports have, for each postback of 75 days with changing schemes and names")
    func facts() async throws {
        _ = try await AnswerFixture().folded(seed: 35)
        // The last event of a postback has the value that counts.
        var last: [String: ForwardedEvent] = [:]
        for event in try await all(limit: 500) where event.kind != .conflict {
            last["\(event.transactionID) \(event.sequenceIndex) \(event.didWin) \(event.environment)"] = event
        }
        let answers = try await database.column(
            """
            SELECT concat_ws('|', transaction_id, sequence_index, did_win, environment,
                             'event ' || nullif(array_to_string(events, ','), ''),
                             'revenue ' || trim_scale(revenue_low), 'to ' || trim_scale(revenue_high),
                             CASE WHEN revenue_low IS NOT NULL THEN currency END,
                             'tier ' || CASE WHEN tier_low = tier_high THEN tier_low::text
                                             ELSE tier_low || '-' || tier_high END)
              FROM attribution.postback_answer JOIN attribution.line USING (line)
            """
        ).compactMap(\.self)
        #expect(answers.count > 500 && last.count == answers.count)
        #expect(Set(last.values.map(\.answerText)) == Set(answers))
        let names = try await database.column(
            """
            SELECT concat_ws('|', skad_transaction_id, skad_postback_sequence_index, skad_did_win, environment,
                             'campaign ' || ad_network_campaign_id, ad_network_campaign_name,
                             'adset ' || ad_network_adset_id, 'ad ' || ad_network_ad_id,
                             CASE WHEN ad_network_campaign_id IS NOT NULL THEN media_source END)
              FROM attribution.appsflyer_postback
            """
        ).compactMap(\.self)
        #expect(Set(last.values.map(\.nameText)) == Set(names))
        #expect(last.values.contains { $0.names?.campaignID == "app 1" })
        #expect(last.values.contains { $0.names == nil })
    }
}

extension ForwardedEvent {
    private var keyText: [String?] {
        [transactionID.uuidString.lowercased(), "\(sequenceIndex)", didWin ? "t" : "f", environment]
    }

    /// The meaning as the query above writes it.
    fileprivate var answerText: String {
        let meaning = meaning
        let texts = [
            meaning?.event.map { "event \($0)" }, meaning?.revenueLow.map { "revenue \($0)" },
            meaning?.revenueHigh.map { "to \($0)" }, meaning?.currency, meaning?.tier.map { "tier \($0)" },
        ]
        return (keyText + texts).compactMap(\.self).joined(separator: "|")
    }

    /// The names as the query above writes them.
    fileprivate var nameText: String {
        let texts = [
            names?.campaignID.map { "campaign \($0)" }, names?.campaignName, names?.adsetID.map { "adset \($0)" },
            names?.adID.map { "ad \($0)" }, names?.networkName,
        ]
        return (keyText + texts).compactMap(\.self).joined(separator: "|")
    }
}
