/// An ad network identifier: 1 to 64 of `A–Z a–z 0–9 . -`, kept as received.
///
/// Signatures cover its bytes as received. Networks are compared without letter case and without the suffix, because
/// Apple lets a network use both suffixes in both protocols. Source: Apple, "Registering an ad network",
/// "AdAttributionKit and SKAdNetwork interoperability".
public struct AdNetworkID: TextWireValue {
    /// The identifier as received or given.
    public let text: String

    /// Reads an identifier; nil if its length or a character is not allowed.
    public init?(_ text: String) {
        var text = text
        guard (1...64).contains(text.utf8.count), text.withUTF8({ $0.allSatisfy(Self.isAllowed) }) else { return nil }
        self.text = text
    }

    /// The lower-case form.
    ///
    /// It is stored, and it is the only form that may be signed.
    public var lowercased: String { isLowercase ? text : text.lowercased() }

    /// Whether the identifier is in lower case, as it must be for signing.
    public var isLowercase: Bool { !text.utf8.contains { (0x41...0x5A).contains($0) } }

    /// The form for comparing networks: in lower case, without `.skadnetwork` or `.adattributionkit`.
    public var matchingForm: String {
        let lower = lowercased
        for suffix in Self.suffixes where lower.hasSuffix(suffix) && lower != suffix {
            return String(lower.dropLast(suffix.count))
        }
        return lower
    }

    /// All identifiers, in lower case, of a network with this matching form: without a suffix, and with each.
    package static func identifiers(matching form: String) -> [String] {
        ([""] + suffixes).map { form + $0 }.filter { AdNetworkID($0)?.matchingForm == form }
    }

    /// The suffixes of a network's name, one for each protocol.
    static let suffixes = [".skadnetwork", ".adattributionkit"]

    /// What the value must be, to complete "must be …".
    package static let rule = "1 to 64 characters out of A-Z a-z 0-9 . -"

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2E, 0x2D: true
        default: false
        }
    }
}

/// An App Store item identifier, 0…2^63−1; ids above 2^32 exist.
///
/// As a source app id, 0 means a development-signed app. Source: Apple, "Generating the signature to validate
/// StoreKit-rendered ads" and "Identifying the parameters in install-validation postbacks".
public struct AppID: IntegerWireValue {
    /// The identifier, never negative.
    public let value: Int64

    /// The identifier; nil if it is negative.
    public init?(_ integer: Int64) {
        guard integer >= 0 else { return nil }
        value = integer
    }

    /// The id of development-signed source apps only.
    public static let development = AppID(development: ())

    private init(development: Void) {
        value = 0
    }

    /// What the value must be, to complete "must be …".
    package static let rule = "an integer from 0 to 9223372036854775807"
}

/// The advertised app in what a network signs: an App Store item identifier, 1…2^63−1.
///
/// Only a source app can be 0. In postbacks, which devices send, the advertised app is any `AppID`.
struct AdvertisedAppID: IntegerWireValue {
    let appID: AppID

    init?(_ integer: Int64) {
        guard integer > 0, let appID = AppID(integer) else { return nil }
        self.appID = appID
    }

    /// What the value must be, to complete "must be …".
    static let rule = "an integer from 1 to 9223372036854775807"
}

/// The bundle identifier of the marketplace that an app came from, such as `com.apple.AppStore`.
///
/// Source: Apple, AdAttributionKit, "Identifying the parameters in a postback".
public struct MarketplaceIdentifier: TextWireValue {
    /// The identifier as received.
    public let text: String

    /// Reads an identifier; nil if it is not 1 to 255 printable ASCII characters.
    public init?(_ text: String) {
        guard (1...255).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.text = text
    }

    /// What the value must be, to complete "must be …".
    package static let rule = "1 to 255 printable ASCII characters"
}

/// A country of ISO 3166-1 in two capital letters, unsigned, such as `US`.
///
/// Source: Apple, "Identifying the parameters in install-validation postbacks".
public struct CountryCode: TextWireValue {
    /// The two letters.
    public let text: String

    /// Reads a code; nil if it is not two capital letters.
    public init?(_ text: String) {
        guard text.utf8.count == 2, text.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else { return nil }
        self.text = text
    }

    /// What the value must be, to complete "must be …".
    package static let rule = "two capital letters"
}
