package import AdAttribution
import Foundation

/// A postback of SKAdNetwork built by hand, field by field, and signed with a test key.
package struct TestPostback: Sendable {
    /// The version; nil is 1.0 without its name.
    package var version: String? = "2.0"
    /// The field of that name.
    package var adNetworkID = "example123.skadnetwork"
    /// The field of that name, up to 3.0.
    package var campaignID = 42
    /// The field of that name, from 4.0 on.
    package var sourceIdentifier = "5239"
    /// The field of that name.
    package var transactionID = UUID().uuidString.lowercased()
    /// The field of that name.
    package var appID: Int64 = 525_463_029
    /// The field of that name.
    package var redownload = false
    /// The field of that name.
    package var sourceAppID: Int64? = 1_234_567_891
    /// The field of that name, 4.0.
    package var sourceDomain: String?
    /// The field of that name, from 2.2 on.
    package var fidelityType = 1
    /// The field of that name, from 3.0 on.
    package var didWin = true
    /// The field of that name, 4.0.
    package var sequenceIndex = 0
    /// The field of that name.
    package var conversionValue: Int?
    /// The field of that name.
    package var coarseConversionValue: String?
    /// More members, as JSON, that are not signed; one of the same name as another takes its place.
    package var unsigned: [String: String] = [:]

    /// A postback with a transaction id of its own.
    package init(_ change: (inout TestPostback) -> Void = { _ in }) {
        change(&self)
    }

    /// The signed fields and their values as JSON, in the order of the version, written down here a second time, on
    /// purpose.
    private var signed: [(name: String, json: String)] {
        let campaign = ("campaign-id", "\(campaignID)")
        let app = ("app-id", "\(appID)")
        let network = ("ad-network-id", "\"\(adNetworkID)\"")
        let transaction = ("transaction-id", "\"\(transactionID)\"")
        let redownload = ("redownload", "\(redownload)")
        let source = sourceAppID.map { [("source-app-id", "\($0)")] } ?? []
        let domain = sourceDomain.map { [("source-domain", "\"\($0)\"")] } ?? []
        let fidelity = ("fidelity-type", "\(fidelityType)")
        let win = ("did-win", "\(didWin)")
        guard let version, version != "1.0" else { return [network, campaign, app, transaction] }
        let name = ("version", "\"\(version)\"")
        let second = [name, network, campaign, app, transaction, redownload] + source
        switch version {
        case "2.0", "2.1": return second
        case "2.2": return second + [fidelity]
        case "3.0": return second + [fidelity, win]
        default:
            let identifier = ("source-identifier", "\"\(sourceIdentifier)\"")
            return [name, network, identifier, app, transaction, redownload] + source + domain
                + [fidelity, win, ("postback-sequence-index", "\(sequenceIndex)")]
        }
    }

    /// The string that is signed.
    package var signedMessage: [UInt8] {
        Array(signed.map { $0.json.replacing("\"", with: "") }.joined(separator: "\u{2063}").utf8)
    }

    /// The JSON body under this key.
    package func body(_ key: SigningKey) throws -> [UInt8] {
        let signature = Data(try key.signature(of: signedMessage)).base64EncodedString()
        var members = signed + [("attribution-signature", "\"\(signature)\"")]
        if version == "1.0" { members.append(("version", "\"1.0\"")) }
        if let conversionValue { members.append(("conversion-value", "\(conversionValue)")) }
        if let coarseConversionValue { members.append(("coarse-conversion-value", "\"\(coarseConversionValue)\"")) }
        members = members.filter { unsigned[$0.name] == nil } + unsigned.sorted { $0.key < $1.key }.map { ($0, $1) }
        return Array("{\(members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ","))}".utf8)
    }
}
