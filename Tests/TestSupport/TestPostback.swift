public import AdAttribution
import Foundation

/// A 2.0 postback built by hand, field by field, and signed with a test key.
public struct TestPostback: Sendable {
    /// The field of that name.
    public var adNetworkID = "example123.skadnetwork"
    /// The field of that name.
    public var campaignID = 42
    /// The field of that name.
    public var transactionID = UUID().uuidString.lowercased()
    /// The field of that name.
    public var appID: Int64 = 525_463_029
    /// The field of that name.
    public var redownload = false
    /// The field of that name.
    public var sourceAppID: Int64? = 1_234_567_891
    /// The field of that name.
    public var conversionValue: Int?

    /// A postback with a transaction id of its own.
    public init(_ change: (inout TestPostback) -> Void = { _ in }) {
        change(&self)
    }

    /// The string that is signed, written down here a second time, on purpose.
    public var signedMessage: [UInt8] {
        var values = ["2.0", adNetworkID, "\(campaignID)", "\(appID)", transactionID, "\(redownload)"]
        if let sourceAppID { values.append("\(sourceAppID)") }
        return Array(values.joined(separator: "\u{2063}").utf8)
    }

    /// The JSON body under this key.
    public func body(_ key: SigningKey) throws -> [UInt8] {
        let signature = Data(try key.signature(of: signedMessage)).base64EncodedString()
        var members = [
            "\"version\":\"2.0\"", "\"ad-network-id\":\"\(adNetworkID)\"", "\"campaign-id\":\(campaignID)",
            "\"transaction-id\":\"\(transactionID)\"", "\"app-id\":\(appID)", "\"redownload\":\(redownload)",
            "\"attribution-signature\":\"\(signature)\"",
        ]
        if let sourceAppID { members.append("\"source-app-id\":\(sourceAppID)") }
        if let conversionValue { members.append("\"conversion-value\":\(conversionValue)") }
        return Array("{\(members.joined(separator: ","))}".utf8)
    }
}
