import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import Destinations
@testable import EventLog
@testable import Forwarding
@testable import PostbackStore

/// The store and the database of a test, and what its destinations are made of.
struct StoreFixture {
    static let name = DestinationName("branch") ?? { preconditionFailure("it is a name") }()

    let database = TestDatabase.current
    let store = PostbackStore.current
    let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    /// A destination's file.
    func document(_ name: String = "branch", url: String = "https://example.com/a") -> [UInt8] {
        Array(#"{"name": "\#(name)", "url": "\#(url)", "body": "raw", "when": {"environment": ["test"]}}"#.utf8)
    }

    /// Stores the destination of the tests.
    func load() async throws {
        #expect(try await store.loadDestination(document(), by: "system user test", dryRun: false) == .added)
    }

    /// Counts new postbacks.
    func count(_ number: Int) async throws {
        #expect(try await store.record(try deliveries.many(number)).areAll(.accepted))
    }

    /// Takes the lease for a server.
    func lease(_ server: UUID = UUID()) async throws -> Lease {
        try #require(try await store.takeLease(Self.name, server))
    }

    /// Makes ten seconds pass for every lease.
    func endLeases() async throws {
        try await database.run(
            "UPDATE attribution.destination SET lease_until = clock_timestamp() - interval '1 ms' WHERE leader IS NOT NULL"
        )
    }

    /// Makes every lease last for longer than any test, which may stand still for more than ten seconds.
    func prolongLeases() async throws {
        try await database.run("UPDATE attribution.destination SET lease_until = 'infinity' WHERE leader IS NOT NULL")
    }

    /// Whether the lease ends ten seconds after a statement of a body, by the database's clock.
    func leasesForTenSeconds(_ body: () async throws -> Void) async throws -> Bool {
        let now = "SELECT clock_timestamp() + interval '10 s'"
        let earliest = try #require(try await database.value(now))
        try await body()
        let latest = try #require(try await database.value(now))
        return try await database.value(
            "SELECT lease_until BETWEEN '\(earliest)' AND '\(latest)' FROM attribution.destination") == "true"
    }

    /// All that a destination has not got.
    func unsent(after cursor: LogCursor) async throws -> ForwardedPage {
        try await store.forwardedEvents(after: cursor, limit: 1_000)
    }

    /// Progress over a page: the events of these numbers failed, all others were delivered.
    func progress(
        _ page: ForwardedPage, from cursor: LogCursor, failing: Set<Int> = [], wait: Duration? = .seconds(5)
    ) throws -> DeliveryProgress {
        var progress = DeliveryProgress()
        progress.move = DeliveryProgress.Move(from: cursor, to: page.next)
        for (number, item) in page.events.enumerated() {
            if failing.contains(number) {
                progress.fail(try failed(item.event, wait: wait))
                progress.statistics.failed += 1
                if wait == nil { progress.statistics.dead += 1 }
                progress.failures += 1
            } else {
                progress.statistics.deliver(latency: 40, isRetry: false)
            }
        }
        return progress
    }

    /// A delivery that failed, with a request that has all there is.
    func failed(_ event: ForwardedEvent, attempt: Int = 1, wait: Duration?) throws -> FailedDelivery {
        FailedDelivery(
            key: try #require(DeliveryKey(event)), transactionID: event.transactionID, kind: event.kind,
            receivedAt: event.receivedAt, attempt: attempt, wait: wait, status: 503, error: "status 503",
            answer: Array("busy".utf8), request: Self.request(event.webhookID, body: event.body))
    }

    static func request(_ id: String, body: [UInt8]?) -> PreparedRequest {
        PreparedRequest(
            method: .post, url: "https://example.com/a?t={secret:adjust}",
            headers: [
                HeaderField(name: "Authorization", value: "Bearer {secret:branch-token}"),
                HeaderField(name: "X-Agent", value: "\u{301}a: b{{c}}"), HeaderField(name: "X-Empty", value: ""),
            ], body: body, webhookID: id, signing: ["one", "two"].compactMap { SecretName($0) })
    }

    /// What is stored of deliveries, in numbers: rows, rows of the day and of minutes, and the failures in a row.
    func stored() async throws -> String? {
        try await database.value(
            """
            SELECT concat_ws(' ', (SELECT count(*) FROM attribution.delivery),
                             (SELECT coalesce(sum(sent), 0) || '/' || coalesce(sum(failed), 0)
                                FROM attribution.delivery_daily),
                             (SELECT coalesce(sum(sent), 0) || '/' || coalesce(sum(failed), 0)
                                FROM attribution.delivery_minute),
                             (SELECT failures FROM attribution.destination))
            """)
    }
}
