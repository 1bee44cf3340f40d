/// A campaign: a campaign id up to SKAdNetwork 3.0, a source identifier from 4.0 on and in AdAttributionKit.
public enum Campaign: Sendable, Hashable {
    /// `campaign-id`, SKAdNetwork 1.0 to 3.0.
    case campaignID(CampaignID)
    /// `source-identifier`, SKAdNetwork 4.0 and later.
    case sourceIdentifier(SourceIdentifier)

    /// The wire name of the kind: `campaign-id` or `source-identifier`.
    public var type: String {
        switch self {
        case .campaignID: "campaign-id"
        case .sourceIdentifier: "source-identifier"
        }
    }

    /// The campaign as signed and as reports show it: `42`, or `0123` with its leading zeros.
    public var text: String {
        switch self {
        case .campaignID(let id): String(id.value)
        case .sourceIdentifier(let identifier): identifier.text
        }
    }
}

/// A campaign identifier of SKAdNetwork up to 3.0: an integer from 1 to 100.
///
/// Source: Apple, "SKStoreProductParameterAdNetworkCampaignIdentifier". Apple's devices ignore other values without an
/// error.
public struct CampaignID: IntegerWireValue {
    /// The identifier, 1…100.
    public let value: UInt8

    /// The campaign with a number; nil if it is not in 1…100.
    public init?(_ integer: Int64) {
        guard (1...100).contains(integer) else { return nil }
        value = UInt8(integer)
    }

    /// What the value must be, to complete "must be …".
    package static let rule = "an integer from 1 to 100"
}

/// A source identifier of SKAdNetwork 4.0 and AdAttributionKit: one to four decimal digits, leading zeros kept.
///
/// An impression has an integer of up to four digits. A postback has the last two, three or four of them as a string,
/// so `05` and `5` are different. Source: Apple, "SKAdImpression/sourceIdentifier" and "Receiving postbacks in multiple
/// conversion windows".
public struct SourceIdentifier: IntegerWireValue, TextWireValue {
    /// The digits, exactly as signed.
    public let text: String

    /// The identifier that an impression signs, 0…9999, written without leading zeros.
    public init?(_ integer: Int64) {
        guard (0...9_999).contains(integer) else { return nil }
        text = String(integer)
    }

    /// The identifier of a postback: one to four digits.
    public init?(_ text: String) {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        self.text = text
    }

    /// What the value must be if it is an integer, as in an impression.
    package static let rule = "an integer from 0 to 9999"

    static let textRule = "one to four decimal digits"
}

/// Where an ad was shown: in an app, or on a web domain (SKAdNetwork 4.0).
public enum AttributionSource: Sendable, Hashable {
    /// `source-app-id`.
    case app(AppID)
    /// `source-domain`.
    case domain(SourceDomain)

    /// The app, if the source is one.
    public var appID: AppID? {
        guard case .app(let id) = self else { return nil }
        return id
    }

    /// The domain, if the source is one.
    public var domain: SourceDomain? {
        guard case .domain(let domain) = self else { return nil }
        return domain
    }
}
