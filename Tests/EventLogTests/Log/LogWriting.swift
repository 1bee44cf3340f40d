import Foundation
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import AdAttribution
@testable import EventLog
@testable import PostbackStore

/// Deliveries for the tests of the log, and the log as text, to hold what was read against it.
struct LogWriting: Sendable {
    private let keys: TestKeys

    init() throws {
        keys = try TestKeys()
    }

    /// A delivery of a postback with a value.
    func delivery(_ postback: TestPostback = TestPostback(), _ value: Int? = 1) throws -> PostbackDelivery {
        var postback = postback
        postback.conversionValue = value
        let key = postback.version == "4.0" ? keys.postbackKeyP256 : keys.postbackKey
        return PostbackDelivery(try keys.verified(postback.body(key)), receivedAt: PostbackStore.now())
    }

    /// Deliveries of different postbacks, all of the lane of this index.
    func deliveries(_ count: Int, lane: Int, of lanes: LaneMap) throws -> [PostbackDelivery] {
        var deliveries: [PostbackDelivery] = []
        while deliveries.count < count {
            let postback = TestPostback()
            let id = try #require(UUID(uuidString: postback.transactionID))
            if lanes.index(of: id) == lane { deliveries.append(try delivery(postback)) }
        }
        return deliveries
    }

    /// Records deliveries in batches; each must be counted.
    func record(_ deliveries: [PostbackDelivery], to store: PostbackStore, batches: Int = 1) async throws {
        let size = max(1, (deliveries.count + batches - 1) / batches)
        for start in stride(from: 0, to: deliveries.count, by: size) {
            let batch = Array(deliveries[start..<min(start + size, deliveries.count)])
            for result in await store.record(batch) { _ = try result.get() }
        }
    }
}

/// A clock that stands until it is set.
final class SetClock: Sendable {
    private let time: Mutex<PostgresTimestamp>

    init(_ time: PostgresTimestamp) {
        self.time = Mutex(time)
    }

    /// So many seconds after the beginning of a day.
    convenience init(_ day: PostgresDate, _ seconds: Int64 = 43_200) {
        self.init(Self.time(day, seconds))
    }

    func set(_ day: PostgresDate, _ seconds: Int64 = 43_200) {
        time.withLock { $0 = Self.time(day, seconds) }
    }

    @Sendable func now() -> PostgresTimestamp { time.withLock { $0 } }

    private static func time(_ day: PostgresDate, _ seconds: Int64) -> PostgresTimestamp {
        PostgresTimestamp(microsecondsSince2000: (Int64(day.daysSince2000) * 86_400 + seconds) * 1_000_000)
    }
}

extension LogEvent {
    /// The event as `TestDatabase.log` shows it.
    var text: String {
        let (code, value, previous): (Int16, ReportedConversionValue, ReportedConversionValue) =
            switch kind {
            case .accepted(let value): (0, value, .none)
            case .raised(let old, let new, let isFirst): (isFirst ? 1 : 2, new, old)
            case .conflict(let stored, let offered): (3, offered, stored)
            }
        return "\(lane) \(position) \(ordinal) \(code) \(StoredValue.number(value)) \(StoredValue.number(previous)) "
            + "\(transactionID.uuidString.lowercased()) \(line.campaign.text)"
    }
}

extension TestDatabase {
    /// The log as it stands in the tables, lane by lane.
    func log() async throws -> [String] {
        try await column(
            """
            SELECT concat_ws(' ', lane, position, ordinal, event, value, previous_value, transaction_id, line.campaign)
              FROM attribution.postback_log
              JOIN attribution.line USING (line)
             ORDER BY lane, position, ordinal
            """
        ).compactMap { $0 }
    }

    /// Makes each transaction that writes to a lane wait at its commit while somebody holds the lock 99.
    func makeCommitsWait(lane: Int, of day: PostgresDate) async throws {
        try await run(
            """
            CREATE FUNCTION wait_for_99() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_advisory_xact_lock_shared(99); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER wait_for_99 AFTER INSERT ON attribution.\(WritingDay.logPartition(day))
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.lane = \(lane)) EXECUTE FUNCTION wait_for_99();
            """)
    }

    /// Waits until a session waits for a lock.
    func waitForWaiter(_ condition: String = "wait_event = 'advisory'") async throws {
        let waiters = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND \(condition)"
        try await eventually("a session waits") { try await value(waiters) == "0" ? nil : true }
    }
}

extension PostbackStore {
    /// Reads to the end.
    func read(after cursor: LogCursor = .start, limit: Int = 100) async throws -> (events: [LogEvent], next: LogCursor)
    {
        var events: [LogEvent] = []
        var cursor = cursor
        while true {
            let page = try await self.events(after: cursor, limit: limit)
            #expect(page.events.count <= limit)
            events += page.events
            cursor = try #require(LogCursor(page.next.description))
            if page.isAtEnd { return (events, cursor) }
        }
    }
}

extension [LogEvent] {
    /// The events as text, lane by lane and else in the order given: not sorted within a lane.
    var textByLane: [String] {
        Dictionary(grouping: self, by: \.lane).sorted { $0.key < $1.key }.flatMap { $0.value.map(\.text) }
    }
}
