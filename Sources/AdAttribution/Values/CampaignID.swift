/// A campaign identifier of SKAdNetwork up to 3.0: an integer from 1 to 100.
///
/// Source: Apple, "SKStoreProductParameterAdNetworkCampaignIdentifier"; Apple's devices drop other values silently.
public struct CampaignID: IntegerWireValue {
    /// The identifier, 1…100.
    public let value: UInt8

    /// The campaign with this number, or nil outside 1…100.
    public init?(_ integer: Int64) {
        guard (1...100).contains(integer) else { return nil }
        value = UInt8(integer)
    }

    /// What the value must be, to complete "must be …".
    public static let rule = "an integer from 1 to 100"
}
