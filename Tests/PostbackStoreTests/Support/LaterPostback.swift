import PostgresClient
import TestSupport

@testable import AdAttribution
@testable import PostbackStore

/// Deliveries of one postback with any value in any window, won or lost: more than parsing lets through, since the
/// store counts what it is given.
///
/// Each is parsed, signed and verified as 2.0; the store sees only what comes out of that.
struct LaterPostback: Sendable {
    let transactionID: String
    private let body: [UInt8]
    private let didWin: Bool
    private let sequenceIndex: Int64

    init(
        _ keys: TestKeys, didWin: Bool = true, sequenceIndex: Int64 = 0,
        _ change: (inout TestPostback) -> Void = { _ in }
    ) throws {
        let postback = TestPostback(change)
        transactionID = postback.transactionID
        body = try postback.body(keys.postbackKey)
        self.didWin = didWin
        self.sequenceIndex = sequenceIndex
    }

    /// A delivery that offers a value; its body says which arrival it is.
    func delivery(
        _ value: ReportedConversionValue, arrival: Int = 0, verifier: PostbackVerifier, at time: PostgresTimestamp
    ) throws -> PostbackDelivery {
        let parsed = try Postback(parsing: body.dropLast() + Array(",\"arrival\":\(arrival)}".utf8))
        let postback = Postback(
            Postback.Content(
                parsed.content, tokens: parsed.content.tokens, source: parsed.source, didWin: didWin,
                sequenceIndex: PostbackSequenceIndex(sequenceIndex) ?? .first, conversionValue: value,
                isRelayNormalised: false))
        return PostbackDelivery(try verifier.verify(postback), receivedAt: time)
    }
}

extension Deliveries {
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
