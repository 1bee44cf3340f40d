import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import EventLog
@testable import PostbackStore

@Suite("Events as text", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase, .database)
struct EventPageTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    /// The lines of all pages.
    private func lines(
        _ store: PostbackStore, after cursor: LogCursor = .start, limit: Int = 1_000
    ) async throws -> [[UInt8]] {
        var cursor = cursor
        var text: [UInt8] = []
        while true {
            let page = try await store.eventPage(after: cursor, limit: limit)
            let before = text.count
            try await page.write { text += $0 }
            #expect(text[before...].count { $0 == UInt8(ascii: "\n") } == page.count)
            cursor = page.next
            if page.isAtEnd { break }
        }
        #expect(text.isEmpty || text.last == UInt8(ascii: "\n"))
        return text.split(separator: UInt8(ascii: "\n")).map(Array.init)
    }

    private func sorted(_ events: [NSDictionary]) -> [NSDictionary] {
        func number(_ event: NSDictionary, _ name: String) -> Int64 { (event[name] as? NSNumber)?.int64Value ?? -1 }
        return events.sorted { left, right in
            for name in ["lane", "position", "ordinal"] where number(left, name) != number(right, name) {
                return number(left, name) < number(right, name)
            }
            return false
        }
    }

    @Test("The members of an event have their order, and the text of each kind is as documented")
    func text() async throws {
        let id = "b2f2d1a0-0000-4000-8000-00000000abcd"
        let offers = try deliveries.ofOnePostback([.fine(5), .fine(9), .coarse(.low)]) { $0.transactionID = id }
        for offer in offers { _ = try await store.record([offer]).map { try $0.get() } }
        try await database.run("UPDATE attribution.postback_log SET written_at = '2026-11-22 18:05:06.000789Z'")
        let lines = try await lines(store).map { String(decoding: $0, as: UTF8.self) }
        let log = try await database.column(
            "SELECT concat_ws(' ', lane, position, ordinal) FROM attribution.postback_log ORDER BY position")
        let received = #""received_at":"2026-09-21T14:13:20.000000Z","day":"2026-09-21""#
        let values = [
            #""conversion_value":5,"coarse_value":null,"previous_conversion_value":null,"#
                + #""previous_coarse_value":null,"offered_conversion_value":null,"offered_coarse_value":null"#,
            #""conversion_value":9,"coarse_value":null,"previous_conversion_value":5,"#
                + #""previous_coarse_value":null,"offered_conversion_value":null,"offered_coarse_value":null"#,
            #""conversion_value":9,"coarse_value":null,"previous_conversion_value":null,"#
                + #""previous_coarse_value":null,"offered_conversion_value":null,"offered_coarse_value":"low""#,
        ]
        #expect(lines.count == 3)
        for (index, kind) in ["accepted", "raised", "conflict"].enumerated() {
            let place = try #require(log[index]).split(separator: " ").map(String.init)
            let line = try #require(lines.indices.contains(index) ? lines[index] : nil)
            let head =
                #"{"format":1,"id":"\#(place.joined(separator: "-"))","event":"\#(kind)","#
                + #""first_raise":\#(kind == "raised"),"lane":\#(place[0]),"#
                + #""position":\#(place[1]),"ordinal":\#(place[2]),"written_at":"2026-11-22T18:05:06.000789Z","#
                + received + #","transaction_id":"\#(id)","sequence_index":0,"did_win":true,"# + values[index]
            #expect(line.hasPrefix(head), "\(line)\n\(head)")
            let names = line.dropFirst(head.count).prefix { $0 != "{" }
                .matches(of: /"([a-z_]+)":/).map { String($0.output.1) }
            #expect(
                names == [
                    "environment", "protocol", "ad_network_id", "developer_copy", "campaign_type", "campaign",
                    "advertised_app_id", "source_app_id", "source_domain", "version", "country_code",
                    "redownload",
                    "fidelity_type", "marketplace_identifier", "conversion_type", "ad_interaction_type",
                    "relay_normalised", "signing_key", "body",
                ])
            let hasNoBody = line.hasSuffix(#""body":null}"#)
            #expect(hasNoBody == (kind == "conflict"))
        }
    }

    @Test("Events are what the tables say, with bodies byte for byte, whatever the limit is", arguments: [1, 7, 1_000])
    func sameAsTables(limit: Int) async throws {
        let unsigned = [
            "note": "\"Größe 🦆 \\u00e9\\n\\t\\\\ \\\"quoted\\\" \\ud83e\\udd86 '$1' ;-- %s\u{7F}\u{85}\u{A0}é\"",
            "list": "[ 1e400,\t-0.0 ,\r\n true,null, \"\\/\" ]", "ключ": "\"значение\"",
        ]
        var all = try deliveries.many(40)
        all += try deliveries.ofOnePostback([.none, .fine(0), .fine(63), .coarse(.high)]) { $0.unsigned = unsigned }
        all += try deliveries.ofOnePostback([.coarse(.low), .coarse(.medium), .fine(1)]) {
            ($0.sourceAppID, $0.sourceDomain) = (nil, "example.com")
        }
        for batch in [all, try deliveries.many(3)] { _ = try await store.record(batch).map { try $0.get() } }
        let expected = try await database.exportedEvents()
        #expect(expected.count == 50)
        let lines = try await lines(store, limit: limit)
        #expect(sorted(try lines.map { try TestDatabase.event($0) }) == expected)
    }

    @Test("Once the bodies of a day were dropped, its events have null")
    func droppedBodies() async throws {
        _ = try await store.record(deliveries.many(5)).map { try $0.get() }
        try await database.moveToday(back: 9)
        _ = try await store.record(deliveries.many(3)).map { try $0.get() }
        try await store.fold()
        try await store.foldAnswers()
        var rules = RetentionRules()
        rules.bodyDays = 2
        #expect(try await store.dropExpiredDays(rules).dropped.count == 1)
        let events = try await lines(store).map { try TestDatabase.event($0) }
        #expect(events.count == 8)
        #expect(events.count { $0["body"] is NSNull } == 5)
        #expect(sorted(events) == (try await database.exportedEvents()))
    }

    @Test(
        "A cursor before the last dropped event is refused, one at it goes on; the start is the oldest event there is")
    func expired() async throws {
        for days in [9, 8] {
            _ = try await store.record(deliveries.many(20)).map { try $0.get() }
            try await store.fold()
            try await store.foldAnswers()
            try await database.moveToday(back: days)
        }
        // Lanes whose last event is read, before the day of writing moves on.
        let middle = try await store.events(after: .start, limit: 39)
        let all = try await store.events(after: middle.next, limit: 100)
        #expect(all.events.count == 1 && all.isAtEnd)
        var places = middle.next.places
        for event in middle.events + all.events { places[event.lane] = event.place }
        let atLastEvents = LogCursor(places)
        let today = try await store.cursor(at: PostgresDate(PostbackStore.now()))
        _ = try await store.record(deliveries.many(4)).map { try $0.get() }
        try await store.fold()
        try await store.foldAnswers()
        var rules = RetentionRules()
        rules.logDays = 2
        #expect(try await store.dropExpiredDays(rules).dropped.count == 2)
        for cursor in [middle.next, LogCursor([0: try #require(LogPlace(position: 1 << 32, ordinal: 0))])] {
            await #expect(throws: LogError.cursorExpired) { try await store.events(after: cursor, limit: 10) }
            await #expect(throws: LogError.cursorExpired) {
                try await store.eventPage(after: cursor, limit: 10)
            }
        }
        for cursor in [.start, atLastEvents, all.next, today] {
            #expect(try await lines(store, after: cursor, limit: 3).count == 4)
        }
    }
}
