/// An App Store item identifier, 0…2^63−1; ids above 2^32 exist.
///
/// As a source app id, 0 stands for a development-signed app. Source: Apple, "Generating the signature to validate
/// StoreKit-rendered ads" and "Identifying the parameters in install-validation postbacks".
public struct AppID: IntegerWireValue {
    /// The identifier, never negative.
    public let value: Int64

    /// The identifier, or nil where it is negative.
    public init?(_ integer: Int64) {
        guard integer >= 0 else { return nil }
        value = integer
    }

    /// The id that only development-signed source apps carry.
    public static let development = AppID(development: ())

    private init(development: Void) {
        value = 0
    }

    /// What the value must be, to complete "must be …".
    public static let rule = "an integer from 0 to 9223372036854775807"
}
