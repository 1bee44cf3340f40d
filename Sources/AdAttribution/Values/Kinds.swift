/// The protocol of a postback or an impression, as in the column `protocol`.
///
/// Apple calls the two frameworks.
public enum AttributionProtocol: String, Sendable, Hashable, CaseIterable {
    /// SKAdNetwork: JSON with a DER signature beside the fields.
    case skAdNetwork = "skadnetwork"
    /// AdAttributionKit: a compact JWS.
    case adAttributionKit = "adattributionkit"
}

/// The environment in which a postback or an impression counts.
///
/// Each counts in exactly one.
public enum AttributionEnvironment: String, Sendable, Hashable, CaseIterable {
    /// Signed by an Apple production key, for a source app that is not development-signed.
    case production
    /// Signed by an Apple development key, or for a development-signed source app (id 0).
    case development
    /// Signed by a test key of the key ring.
    case test
}

/// How an ad was presented, as SKAdNetwork 2.2 and later sign it.
///
/// Source: Apple, "Signing and providing ads".
public enum FidelityType: UInt8, IntegerWireValue {
    /// A view-through ad.
    case viewThrough = 0
    /// A StoreKit-rendered ad or a web ad.
    case storeKitRendered = 1

    init?(_ integer: Int64) {
        guard let raw = UInt8(exactly: integer) else { return nil }
        self.init(rawValue: raw)
    }

    /// What the value must be, to complete "must be …".
    package static let rule = "0 (view-through) or 1 (StoreKit-rendered, web)"
}

/// The conversion of an AdAttributionKit postback.
///
/// Source: Apple, AdAttributionKit, "Identifying the parameters in a postback".
public enum ConversionType: String, TextWireValue, CaseIterable {
    /// The first download of the app.
    case download
    /// A download on an account that had the app before.
    case redownload
    /// The app was already installed and was opened through the ad.
    case reengagement = "re-engagement"

    init?(_ text: String) {
        self.init(rawValue: text)
    }

    /// What the value must be, to complete "must be …".
    package static let rule = "download, redownload or re-engagement"
}

/// Whether the ad of an AdAttributionKit postback was seen or tapped; unsigned.
///
/// Source: Apple, AdAttributionKit, "Identifying the parameters in a postback".
public enum AdInteractionType: String, TextWireValue, CaseIterable {
    /// The ad was seen.
    case view
    /// The ad was tapped.
    case click

    init?(_ text: String) {
        self.init(rawValue: text)
    }

    /// What the value must be, to complete "must be …".
    package static let rule = "view or click"
}

/// The kind of an AdAttributionKit impression.
///
/// There is only one.
///
/// Source: Apple, AdAttributionKit, "Generating JWS impressions".
package enum ImpressionType: String, TextWireValue {
    case app = "app-impression"

    init?(_ text: String) {
        self.init(rawValue: text)
    }

    package static let rule = "app-impression"
}
