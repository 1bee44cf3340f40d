import Foundation
import Testing

/// Payloads with every member that Apple documents.
///
/// All ids, dates, prices and texts are made up.
///
/// The raw value is the name under which Apple's library has a payload of the same kind.
enum StorePayload: String, CaseIterable, Sendable {
    case notification = "signedNotification"
    case consumptionRequest = "signedConsumptionRequestNotification"
    case summary = "signedSummaryNotification"
    case token = "signedExternalPurchaseTokenNotification"
    case sandboxToken = "signedExternalPurchaseTokenSandboxNotification"
    case rescindConsent = "signedRescindConsentNotification"
    case transaction = "signedTransaction"
    case revokedTransaction = "signedTransactionWithRevocation"
    case renewalInfo = "signedRenewalInfo"
    case appTransaction = "appTransaction"

    /// Those that come in by themselves.
    static let notifications: [StorePayload] = [
        .notification, .consumptionRequest, .summary, .token, .sandboxToken, .rescindConsent,
    ]

    /// The members.
    func members() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    private var json: String {
        switch self {
        case .notification:
            Self.notificationJSON("DID_FAIL_TO_RENEW", "GRACE_PERIOD", "data", Self.dataMembers)
        case .consumptionRequest:
            Self.notificationJSON(
                "CONSUMPTION_REQUEST", nil, "data", Self.dataMembers + #","consumptionRequestReason":"LEGAL""#)
        case .summary: Self.notificationJSON("RENEWAL_EXTENSION", "SUMMARY", "summary", Self.summaryMembers)
        case .token: Self.tokenJSON("")
        case .sandboxToken: Self.tokenJSON("SANDBOX_")
        case .rescindConsent: Self.notificationJSON("RESCIND_CONSENT", nil, "appData", Self.appDataMembers)
        case .transaction: "{\(Self.transactionMembers)}"
        case .revokedTransaction:
            "{\(Self.transactionMembers)," + #""revocationType":"REFUND_PRORATED","revocationPercentage":33333}"#
        case .renewalInfo: "{\(Self.renewalMembers)}"
        case .appTransaction: "{\(Self.appTransactionMembers)}"
        }
    }

    // MARK: Notifications

    private static func notificationJSON(
        _ type: String, _ subtype: String?, _ part: String, _ members: String
    ) -> String {
        let subtype = subtype.map { #""subtype":"\#($0)","# } ?? ""
        return #"""
            {"notificationType":"\#(type)",\#(subtype)"notificationUUID":"5f0c1d92-3b7e-4a64-9c21-8e40d7b6a35f",
            "\#(part)":{\#(members)},"version":"2.0","signedDate":1695555101007}
            """#
    }

    private static func tokenJSON(_ prefix: String) -> String {
        let members = #"""
            "externalPurchaseId":"\#(prefix)e83a5c17-0d46-4b92-af3e-61c7d2094b8d","tokenCreationDate":1695000000321,
            "appAppleId":6405551212,"bundleId":"org.example.orchard"
            """#
        return notificationJSON("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED", "externalPurchaseToken", members)
    }

    private static let dataMembers = #"""
        "environment":"Xcode","appAppleId":6401234567,"bundleId":"org.example.orchard","bundleVersion":"40.7",
        "signedTransactionInfo":"here comes the transaction","signedRenewalInfo":"here comes the renewal","status":4
        """#

    private static let summaryMembers = #"""
        "environment":"Xcode","appAppleId":6401234567,"bundleId":"org.example.orchard",
        "productId":"org.example.orchard.yearly","requestIdentifier":"91d7be20-5a3c-4e8f-b614-f20a9c3d78e5",
        "storefrontCountryCodes":["SWE","NOR"],"succeededCount":1207,"failedCount":31
        """#

    private static let appDataMembers = #"""
        "appAppleId":6401234567,"bundleId":"org.example.orchard","environment":"Xcode",
        "signedAppTransactionInfo":"here comes the app transaction"
        """#
}
