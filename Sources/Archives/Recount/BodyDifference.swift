import AdAttribution
import Foundation
import PostbackStore
package import PostgresClient

/// A stored body that does not verify, or that does not fit the row of state of its postback.
package struct BodyDifference: Sendable, Equatable, CustomStringConvertible {
    /// The transaction id that the database has beside the body.
    package let transactionID: String
    /// The lane and the UTC day of writing of the body.
    package let lane: Int16
    package let day: PostgresDate
    /// What differs: the name of a column or of a dimension.
    ///
    /// It is `signature` if the body does not verify, and `state` if there is no row of its postback.
    package let field: String
    /// What the row of state has.
    package let stored: String
    /// What the body says.
    package let body: String

    /// One line: the postback, what differs, and both sides.
    package var description: String {
        "postback_state \(transactionID) \(field): stored \(stored), body \(body) (lane \(lane), written on \(day))"
    }
}

/// Where a delivery was written in its lane.
struct BodyPlace: Sendable, Hashable {
    let position: Int64
    let ordinal: Int16
}

/// A body, and the rows of state with its transaction id.
struct StoredBody: Sendable {
    /// A row of state.
    struct State: Sendable {
        let line: LineKey
        let source: AttributionSource?
        let traits: TraitsKey
        let sequenceIndex: Int16
        let didWin: Bool
        let value: Int16
        let firstValue: Int16
        let receivedAt: PostgresTimestamp
        let accepted: BodyPlace
        /// The last delivery that raised the value.
        let raised: BodyPlace?
    }

    let lane: Int16
    let place: BodyPlace
    let transactionID: UUID
    let receivedAt: PostgresTimestamp
    let payload: [UInt8]
    var states: [State]

    /// What differs, if the body is verified; `facts` are the columns of traits.
    func differences(from verified: VerifiedPostback, _ facts: [TraitColumn]) -> [BodyDifference] {
        let keys = DimensionKeys(verified, facts)
        let value = StoredValue.number(verified.postback.conversionValue)
        let sequenceIndex = Int16(verified.postback.sequenceIndex.value)
        guard verified.postback.transactionID.uuid == transactionID else {
            return [
                difference(
                    "transaction_id", transactionID.uuidString.lowercased(),
                    verified.postback.transactionID.uuid.uuidString.lowercased())
            ]
        }
        let own = states.first {
            $0.line.network == keys.line.network && $0.sequenceIndex == sequenceIndex
                && $0.didWin == verified.postback.didWin
        }
        guard let own else { return [difference("state", "no row", "window \(sequenceIndex), \(keys.line.shown)")] }
        var found: [BodyDifference] = []
        func compare<Value: Equatable>(_ field: String, _ stored: Value, _ body: Value, _ shown: (Value) -> String) {
            if stored != body { found.append(difference(field, shown(stored), shown(body))) }
        }
        if place == own.accepted {
            compare("line", own.line, keys.line, \.shown)
            compare("source", own.source, keys.source) { $0.map { "\($0)" } ?? "none" }
            compare("traits", own.traits, keys.traits) { $0.shown(facts) }
            compare("received_at", own.receivedAt, receivedAt) { "\($0.millisecondsSince1970)" }
            compare("first_value", own.firstValue, value, \.description)
            if own.raised == nil { compare("value", own.value, value, \.description) }
        } else if place == own.raised {
            compare("value", own.value, value, \.description)
        } else if own.raised == nil || value <= own.firstValue || value >= own.value {
            // A raise before the last one.
            found.append(difference("value", "\(own.firstValue) raised to \(own.value)", "a raise to \(value)"))
        }
        return found
    }

    /// What differs, if the body does not verify.
    func difference(_ rejection: PostbackRejection) -> BodyDifference {
        difference("signature", "verified", "\(rejection)")
    }

    private func difference(_ field: String, _ stored: String, _ body: String) -> BodyDifference {
        BodyDifference(
            transactionID: transactionID.uuidString.lowercased(), lane: lane, day: WritingDay.day(of: place.position),
            field: field, stored: stored, body: body)
    }
}

extension LineKey {
    fileprivate var shown: String {
        let copy = isDeveloperCopy ? " copy" : ""
        return "\(network.environment.rawValue) \(network.attributionProtocol.rawValue) \(network.adNetworkID)"
            + " \(campaign.type) \(campaign.text) app \(advertisedAppID.value)\(copy)"
    }
}

extension TraitsKey {
    fileprivate func shown(_ facts: [TraitColumn]) -> String {
        let named = facts.map { fact in "\(fact.name) \(self[fact.name].map { "\($0)" } ?? "none")" }
        let version = version.map { "\($0)" } ?? Self.noVersion
        return (["key \(signingKey)", "version \(version)", "relay \(isRelayNormalised)"] + named)
            .joined(separator: ", ")
    }
}
