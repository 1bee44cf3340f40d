import Foundation
import PostbackSimulation
import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackStore

/// Deliveries of postbacks, for the tests of lanes, dimensions and the log.
struct Deliveries: Sendable {
    static let time = PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000)

    let keys: TestKeys

    init() throws {
        keys = try TestKeys()
    }

    /// A delivery of a postback with a transaction id of its own.
    func one(
        origin: DeliveryOrigin = .unknown, _ change: (inout TestPostback) -> Void = { _ in }
    ) throws -> PostbackDelivery {
        PostbackDelivery(
            try keys.verified(TestPostback(change).body(keys.postbackKey)), receivedAt: Self.time, origin: origin)
    }

    /// Everything that can happen to postbacks, a minute apart, in order.
    func simulated(_ count: Int, seed: UInt64) throws -> [PostbackDelivery] {
        let network = try #require(AdNetworkID("example123.skadnetwork"))
        let simulator = try keys.simulator(.everything(seed: seed, count: count, adNetworkIDs: [network]))
        return try simulator.bodies().enumerated().map { index, body in
            PostbackDelivery(
                try keys.verifier.verify(Postback(parsing: body)),
                receivedAt: PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000 + Int64(index) * 60_000))
        }
    }

    /// Deliveries of so many postbacks, of five campaigns.
    func many(_ count: Int) throws -> [PostbackDelivery] {
        try (0..<count).map { number in try one { $0.campaignID = number % 5 + 1 } }
    }

    /// Deliveries of so many postbacks of one lane.
    func many(_ count: Int, lane: Int, of lanes: LaneMap) throws -> [PostbackDelivery] {
        try (0..<count).map { _ in
            let transaction = Self.transaction(lane: lane, of: lanes)
            return try one { $0.transactionID = transaction }
        }
    }

    /// A random transaction id of a lane.
    static func transaction(lane: Int, of lanes: LaneMap) -> String {
        while true {
            let transaction = UUID()
            if lanes.index(of: transaction) == lane { return transaction.uuidString.lowercased() }
        }
    }

    /// Deliveries of one postback with these values, in order.
    func offers(
        _ values: [ReportedConversionValue], _ change: (inout TestPostback) -> Void = { _ in }
    ) throws -> [PostbackDelivery] {
        let postback = try LaterPostback(keys, change)
        return try values.enumerated().map { arrival, value in
            try postback.delivery(value, arrival: arrival, verifier: keys.verifier, at: Self.time)
        }
    }
}

extension PostbackDelivery {
    /// The transaction id as PostgreSQL shows it.
    var transactionID: String { verified.postback.transactionID.uuid.uuidString.lowercased() }
}

extension [Result<DeliveryOutcome, any Error>] {
    /// Whether all have this outcome.
    ///
    /// - Throws: the first failure.
    func areAll(_ outcome: DeliveryOutcome) throws -> Bool {
        try map { try $0.get() }.allSatisfy { $0 == outcome }
    }
}

extension TestDatabase {
    /// The log in order: lane, position from the day's first on, ordinal, event, value before and after.
    func events(_ columns: String = "lane, position & 4294967295, ordinal, event, previous_value, value") async throws
        -> [String]
    {
        try await column(
            "SELECT concat_ws(' ', \(columns)) FROM attribution.postback_log ORDER BY lane, position, ordinal"
        )
        .compactMap(\.self)
    }

    /// How many rows state, bodies and log have.
    func counts() async throws -> String? {
        try await value(
            """
            SELECT concat_ws(' ', (SELECT count(*) FROM attribution.postback_state),
                             (SELECT count(*) FROM attribution.postback_body),
                             (SELECT count(*) FROM attribution.postback_log))
            """)
    }
}
