package import AdAttribution
import Foundation
import Testing

/// A postback of AdAttributionKit built by hand, field by field, and signed with a test key.
package struct TestAdAttributionKitPostback: Sendable {
    /// `kid`: the name of the key in the ring.
    package var keyID = TestKeys.adAttributionKitKeyName
    /// The field of that name.
    package var adNetworkIdentifier = "example123.adattributionkit"
    /// The field of that name.
    package var sourceIdentifier = "5239"
    /// The field of that name.
    package var postbackIdentifier = UUID().uuidString
    /// The field of that name.
    package var advertisedItemIdentifier: Int64 = 525_463_029
    /// The field of that name.
    package var publisherItemIdentifier: Int64? = 1_234_567_891
    /// The field of that name.
    package var conversionType = "download"
    /// The field of that name.
    package var marketplaceIdentifier: String? = "com.apple.AppStore"
    /// The field of that name.
    package var didWin = true
    /// The field of that name.
    package var sequenceIndex = 0
    /// The members around the signed part, as JSON.
    package var envelope: [String: String] = ["ad-interaction-type": "\"click\""]

    /// A postback with an identifier of its own.
    package init(_ change: (inout TestAdAttributionKitPostback) -> Void = { _ in }) {
        change(&self)
    }

    /// The JSON body under this key on P-256.
    package func body(_ key: SigningKey) throws -> [UInt8] {
        var payload = [
            "\"postback-identifier\":\"\(postbackIdentifier)\"", "\"ad-network-identifier\":\"\(adNetworkIdentifier)\"",
            "\"source-identifier\":\"\(sourceIdentifier)\"", "\"impression-type\":\"app-impression\"",
            "\"advertised-item-identifier\":\(advertisedItemIdentifier)", "\"conversion-type\":\"\(conversionType)\"",
            "\"did-win\":\(didWin)", "\"postback-sequence-index\":\(sequenceIndex)",
        ]
        if let publisherItemIdentifier { payload.append("\"publisher-item-identifier\":\(publisherItemIdentifier)") }
        if let marketplaceIdentifier { payload.append("\"marketplace-identifier\":\"\(marketplaceIdentifier)\"") }
        let header = "{\"kid\":\"\(keyID)\",\"alg\":\"ES256\"}"
        let text = Self.base64URL(header.utf8) + "." + Self.base64URL("{\(payload.joined(separator: ","))}".utf8)
        let jws = text + "." + Self.base64URL(try Self.concatenated(key.signature(of: Array(text.utf8))))
        let members = [("jws-string", "\"\(jws)\"")] + envelope.sorted { $0.key < $1.key }.map { ($0, $1) }
        return Array("{\(members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}".utf8)
    }

    private static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// R and S side by side out of DER, taken apart here a second time, on purpose.
    private static func concatenated(_ der: [UInt8]) throws -> [UInt8] {
        var rest = der.dropFirst(2)
        var output: [UInt8] = []
        for _ in 0..<2 {
            let length = Int(try #require(rest.dropFirst().first))
            let number = rest.dropFirst(2).prefix(length).drop { $0 == 0 }
            output += Array(repeating: 0, count: 32 - number.count) + number
            rest = rest.dropFirst(2 + length)
        }
        return output
    }
}
