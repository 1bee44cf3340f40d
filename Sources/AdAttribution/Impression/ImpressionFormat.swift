/// The forms in which a signed impression is written, by who reads them.
public enum ImpressionFormat: String, Sendable, CaseIterable {
    /// The signed fields under Apple's wire names and the signature.
    case json
    /// What an app hands to StoreKit.
    case storeKit = "storekit"
    /// `ext.skadn` of an OpenRTB bid response, SKAdNetwork 2.0 to 4.0.
    case openRTB = "openrtb"
    /// The compact JWS of AdAttributionKit.
    case jws
}
