import Foundation
import Testing

/// A body of the App Store as Foundation reads it, without a look at signatures.
struct DecodedNotification {
    /// The payload of version 2, or the body of version 1.
    let payload: [String: Any]
    /// The signed transaction; nil if there is none.
    let transaction: [String: Any]?
    /// The signed renewal info; nil if there is none.
    let renewal: [String: Any]?

    init(_ body: [UInt8]) throws {
        let body = try Self.object(Data(body))
        guard let jws = body["signedPayload"] as? String else {
            (payload, transaction, renewal) = (body, nil, nil)
            return
        }
        payload = try Self.payload(jws)
        let data = try #require(payload["data"] as? [String: Any])
        transaction = try (data["signedTransactionInfo"] as? String).map(Self.payload)
        renewal = try (data["signedRenewalInfo"] as? String).map(Self.payload)
    }

    /// The type, and the subtype if there is one.
    var name: String {
        [payload["notificationType"] ?? payload["notification_type"], payload["subtype"]].compactMap { $0 as? String }
            .joined(separator: " ")
    }

    /// The transactions that version 1 lists.
    var listed: [[String: Any]] {
        (payload["unified_receipt"] as? [String: Any])?["latest_receipt_info"] as? [[String: Any]] ?? []
    }

    /// All that does not differ with the signature, as text.
    func text() throws -> String {
        var rest = payload
        if var data = rest["data"] as? [String: Any] {
            data["signedTransactionInfo"] = transaction
            data["signedRenewalInfo"] = renewal
            rest["data"] = data
        }
        return String(decoding: try JSONSerialization.data(withJSONObject: rest, options: .sortedKeys), as: UTF8.self)
    }

    private static func payload(_ jws: String) throws -> [String: Any] {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        return try object(try #require(Data(base64Encoded: text + padding)))
    }

    private static func object(_ data: Data) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
}
