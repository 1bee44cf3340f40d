import Destinations
import Foundation
import Testing

extension ForwardedEvent {
    /// The event of Apple's example of a winning postback 3.0, received on 14 March 2024 from Apple's relay, with the
    /// names of its campaign and the meaning of its value.
    static func genuine(
        kind: Kind = .accepted, environment: String = "production", protocolName: String = "skadnetwork",
        adNetworkID: String = "example123.skadnetwork", isDeveloperCopy: Bool = false, didWin: Bool = true,
        advertisedAppID: Int64 = 525_463_029
    ) throws -> ForwardedEvent {
        ForwardedEvent(
            id: "0-42185168781313-2", kind: kind,
            transactionID: try #require(UUID(uuidString: "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28")),
            environment: environment, protocolName: protocolName, adNetworkID: adNetworkID,
            isDeveloperCopy: isDeveloperCopy, campaignType: "campaign-id", campaign: "42",
            advertisedAppID: advertisedAppID, sequenceIndex: 0, didWin: didWin, conversionValue: 20,
            coarseValue: nil, receivedAt: 1_710_439_480_123_456, sourceAppID: 1_234_567_891, sourceDomain: nil,
            countryCode: nil, version: "3.0", fidelityType: 1, redownload: true,
            body: try Fixture.bytes("Presets/body.json"), sourceAddress: "17.58.56.232", userAgent: "App Store",
            names: EventNames(
                campaignID: "J4gijuk04yCAm8RR", campaignName: #"Autumn "50%" & more"#, adsetID: "set-7",
                adsetName: "Players", adID: "ad-9", adName: "Blue video", networkName: "Example"),
            meaning: EventMeaning(
                event: "purchase", revenueLow: "0.99", revenueHigh: "4.99", currency: "USD", tier: nil))
    }
}
