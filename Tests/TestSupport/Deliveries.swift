package import AdAttribution
import Foundation
import PostbackSimulation
package import PostbackStore
package import PostgresClient
import Testing

/// Deliveries of postbacks, for the tests of lanes, dimensions and the log.
package struct Deliveries: Sendable {
    package static let time = PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000)

    package let keys: TestKeys

    package init() throws {
        keys = try TestKeys()
    }

    /// A delivery of a postback with a transaction id of its own.
    package func one(
        origin: DeliveryOrigin = .unknown, _ change: (inout TestPostback) -> Void = { _ in }
    ) throws -> PostbackDelivery {
        let postback = TestPostback(change)
        // Apple signs with P-192 up to 2.0, and with P-256 since.
        let isEarly = [nil, "1.0", "2.0"].contains(postback.version)
        return PostbackDelivery(
            try keys.verified(postback.body(isEarly ? keys.postbackKey : keys.postbackKeyP256)), receivedAt: Self.time,
            origin: origin)
    }

    /// Everything that can happen to postbacks, a minute apart, in order.
    package func simulated(_ count: Int, seed: UInt64) throws -> [PostbackDelivery] {
        let network = try #require(AdNetworkID("example123.skadnetwork"))
        let simulator = try keys.simulator(.everything(seed: seed, count: count, adNetworkIDs: [network]))
        return try simulator.bodies().enumerated().map { index, body in
            PostbackDelivery(
                try keys.verifier.verify(Postback(parsing: body)),
                receivedAt: PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000 + Int64(index) * 60_000))
        }
    }

    /// Deliveries of so many postbacks, of five campaigns.
    package func many(_ count: Int) throws -> [PostbackDelivery] {
        try (0..<count).map { number in try one { $0.campaignID = number % 5 + 1 } }
    }

    /// Deliveries of so many postbacks of one lane.
    package func many(_ count: Int, lane: Int, of lanes: LaneMap) throws -> [PostbackDelivery] {
        try (0..<count).map { _ in
            let transaction = Self.transaction(lane: lane, of: lanes)
            return try one { $0.transactionID = transaction }
        }
    }

    /// A random transaction id of a lane.
    package static func transaction(lane: Int, of lanes: LaneMap) -> String {
        while true {
            let transaction = UUID()
            if lanes.index(of: transaction) == lane { return transaction.uuidString.lowercased() }
        }
    }

    /// Deliveries of one postback of 4.0 with these values, in order.
    package func ofOnePostback(
        _ values: [ReportedConversionValue], _ change: (inout TestPostback) -> Void = { _ in }
    ) throws -> [PostbackDelivery] {
        var postback = TestPostback { $0.version = "4.0" }
        change(&postback)
        return try values.map { value in
            (postback.conversionValue, postback.coarseConversionValue) = (nil, nil)
            switch value {
            case .none: break
            case .fine(let value): postback.conversionValue = Int(value.value)
            case .coarse(let value): postback.coarseConversionValue = value.rawValue
            }
            return PostbackDelivery(try keys.verified(postback.body(keys.postbackKeyP256)), receivedAt: Self.time)
        }
    }
}

extension PostbackDelivery {
    /// The transaction id as PostgreSQL shows it.
    package var transactionID: String { verified.postback.transactionID.uuid.uuidString.lowercased() }
}

extension [Result<DeliveryOutcome, any Error>] {
    /// Whether all have this outcome.
    ///
    /// - Throws: the first failure.
    package func areAll(_ outcome: DeliveryOutcome) throws -> Bool {
        try map { try $0.get() }.allSatisfy { $0 == outcome }
    }
}

extension TestDatabase {
    /// The log in order: lane, position from the day's first on, ordinal, event, value before and after.
    package func events(_ columns: String = "lane, position & 4294967295, ordinal, event, previous_value, value")
        async throws
        -> [String]
    {
        try await column(
            "SELECT concat_ws(' ', \(columns)) FROM attribution.postback_log ORDER BY lane, position, ordinal"
        )
        .compactMap(\.self)
    }

    /// How many rows state, bodies and log have.
    package func counts() async throws -> String? {
        try await value(
            """
            SELECT concat_ws(' ', (SELECT count(*) FROM attribution.postback_state),
                             (SELECT count(*) FROM attribution.postback_body),
                             (SELECT count(*) FROM attribution.postback_log))
            """)
    }
}

extension ReportedConversionValue {
    package static func fine(_ value: Int64) -> ReportedConversionValue {
        ConversionValue(value).map { .fine($0) } ?? .none
    }

    /// The value as the tests write rows: `-` for none.
    package var text: String {
        switch self {
        case .none: "-"
        case .fine(let value): "\(value.value)"
        case .coarse(let value): value.rawValue
        }
    }
}
