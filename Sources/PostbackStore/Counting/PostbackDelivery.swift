package import AdAttribution
package import Foundation
package import PostgresClient

/// One delivery of a verified postback.
package struct PostbackDelivery: Sendable {
    /// The postback, with what was verified of it.
    package let verified: VerifiedPostback
    /// When it was received.
    package let receivedAt: PostgresTimestamp
    /// Its source address and User-Agent.
    package let origin: DeliveryOrigin
    /// The numbers of its rows of the dimensions; nil if they were not looked up.
    var rows: DeliveryRows?

    /// The postback itself.
    package var postback: Postback { verified.postback }

    /// Takes a postback, its time of receipt and its origin.
    package init(_ verified: VerifiedPostback, receivedAt: PostgresTimestamp, origin: DeliveryOrigin = .unknown) {
        self.verified = verified
        self.receivedAt = receivedAt
        self.origin = origin
    }
}

/// The numbers of a delivery's rows of the dimensions, and the timeline of the database on which they were read.
struct DeliveryRows: Sendable {
    let ids: DimensionIDs
    let timeline: Timeline
}

/// The outcome of a counted delivery.
package enum DeliveryOutcome: Sendable, Hashable {
    /// The first delivery of its key: a new row.
    case accepted
    /// A known key, and nothing new.
    case duplicate
    /// A known key with a strictly higher conversion value, which is now the current one.
    case raised
    /// A known key with another value that was ignored and counted in `conflicts`.
    ///
    /// The value is of the other kind or, under the policy `first`, higher.
    case conflict
}

extension DeliveryOutcome {
    /// The outcome of an event that `CountingStatement` has returned.
    init(event: Int16) {
        switch event {
        case CountingStatement.Event.accepted: self = .accepted
        case CountingStatement.Event.raisedFirst, CountingStatement.Event.raisedAgain: self = .raised
        case CountingStatement.Event.conflict: self = .conflict
        default: self = .duplicate
        }
    }
}

/// Whether a later delivery of a known postback may raise its conversion value, which Apple does not sign.
package enum ConversionPolicy: String, Sendable, CaseIterable {
    /// A strictly higher value raises the stored one; a lower or equal one is ignored.
    case monotonic
    /// The first value stays; a higher one is counted as a conflict.
    case first
}

/// The key of a postback: that of `attribution.postback_state` without the lane.
package struct StateKey: Sendable, Hashable {
    package let transactionID: UUID
    package let network: Int16
    package let sequenceIndex: Int16
    package let didWin: Bool

    /// The key of a delivered postback with these numbers.
    package init(_ delivery: PostbackDelivery, _ ids: DimensionIDs) {
        let postback = delivery.postback
        transactionID = postback.transactionID.uuid
        network = ids.network
        sequenceIndex = Int16(postback.sequenceIndex.value)
        didWin = postback.didWin
    }

    /// Hashes only the part that is almost always different.
    ///
    /// Equality compares everything.
    package func hash(into hasher: inout Hasher) {
        let halves = withUnsafeBytes(of: transactionID.uuid) { bytes in
            bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
                ^ bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        }
        hasher.combine(halves)
    }
}

/// Deliveries that a batch counts, and beside them the numbers of their rows of the dimensions.
struct BatchDeliveries: Sendable {
    let deliveries: [PostbackDelivery]
    /// The numbers of each delivery, in the same order.
    let ids: [DimensionIDs]

    /// Takes deliveries, and as many numbers.
    init(_ deliveries: [PostbackDelivery], _ ids: [DimensionIDs]) {
        precondition(deliveries.count == ids.count, "each delivery has its numbers")
        self.deliveries = deliveries
        self.ids = ids
    }

    var count: Int { deliveries.count }

    /// The key of the postback at a place.
    func key(at place: Int) -> StateKey { StateKey(deliveries[place], ids[place]) }

    /// The deliveries at some places.
    func selecting(_ places: some Collection<Int>) -> BatchDeliveries {
        BatchDeliveries(places.map { deliveries[$0] }, places.map { ids[$0] })
    }
}

/// The source address and User-Agent of a delivery, if they are known and kept.
///
/// Apple relays postbacks: the address is the relay's, not that of the person who saw the ad.
package struct DeliveryOrigin: Sendable, Hashable {
    /// The greatest number of bytes of a User-Agent that are kept, in UTF-8.
    package static let maximumUserAgentSize = 256
    /// An origin without address and User-Agent, as in an imported archive.
    package static let unknown = DeliveryOrigin(address: nil, userAgent: nil)

    /// The source address; nil if it is not known.
    package let ipAddress: IPAddress?
    /// The source address in the canonical text of `IPAddress`; nil if it is not known.
    package var address: String? { ipAddress?.description }
    /// The User-Agent in 1 to 256 bytes, without control characters; nil if there was none.
    package let userAgent: String?

    /// Makes an origin that can be stored.
    /// - Parameters:
    ///   - address: The source address.
    ///   - userAgent: The header as received. Control characters (C0, DEL, C1) are removed, and U+FFFD, by which the
    ///     HTTP decoder replaces invalid UTF-8. Then spaces at both ends are removed. A longer text is cut to at most
    ///     256 bytes, between two Unicode scalars.
    package init(address: IPAddress?, userAgent: String?) {
        ipAddress = address
        self.userAgent = userAgent.flatMap(Self.cleaned)
    }

    /// Reads an origin from the database: the address as `host(…)` shows it, then the User-Agent.
    package init(stored columns: inout ColumnCursor) throws {
        let address: String? = try columns.next()
        self.init(address: address.flatMap { IPAddress($0) }, userAgent: try columns.next())
    }

    private static func cleaned(_ text: String) -> String? {
        guard !isClean(text) else { return text }
        var kept = String.UnicodeScalarView()
        var size = 0
        for scalar in text.unicodeScalars where !isRemoved(scalar) && !(scalar == " " && kept.isEmpty) {
            size += UTF8.width(scalar)
            guard size <= maximumUserAgentSize else { break }
            kept.append(scalar)
        }
        while kept.last == " " { kept.removeLast() }
        return kept.isEmpty ? nil : String(kept)
    }

    /// Whether a text needs no change, as almost every User-Agent.
    private static func isClean(_ text: String) -> Bool {
        let bytes = text.utf8
        return 1...maximumUserAgentSize ~= bytes.count && bytes.first != space && bytes.last != space
            && bytes.allSatisfy { space..<0x7F ~= $0 }
    }

    private static func isRemoved(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0xFFFD: true
        default: false
        }
    }

    private static let space = UInt8(ascii: " ")
}
