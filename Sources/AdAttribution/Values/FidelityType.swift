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
    public static let rule = "0 (view-through) or 1 (StoreKit-rendered, web)"
}
