/// A token of App Analytics, which an app gives to StoreKit beside the impression.
///
/// It is not signed. Apple does not document its form for StoreKit, so only what can't be a token is refused. Sources:
/// Apple, "SKStoreProductParameterCampaignToken", "SKStoreProductParameterProviderToken".
public struct StoreToken: TextWireValue {
    /// The token as given.
    public let text: String

    /// Reads a token; nil if it is not 1 to 100 printable ASCII characters.
    public init?(_ text: String) {
        guard (1...100).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.text = text
    }

    /// What the value must be, to complete "must be …".
    package static let rule = "1 to 100 printable ASCII characters"
}

/// The tokens of App Analytics that go with an impression.
public struct StoreTokens: Sendable, Hashable {
    /// `campaign-token`: names a campaign in App Analytics; nil if it was not given.
    public let campaign: StoreToken?
    /// `provider-token`: the developer of the advertised app; nil if it was not given.
    public let provider: StoreToken?

    /// The tokens that are given, by field.
    var values: [(field: ImpressionField, token: StoreToken)] {
        [(ImpressionField.campaignToken, campaign), (.providerToken, provider)].compactMap { field, token in
            token.map { (field, $0) }
        }
    }
}

extension ImpressionParameters {
    /// `campaign-token` and `provider-token`.
    public var tokens: StoreTokens {
        StoreTokens(
            campaign: self[.campaignToken]?.text.flatMap { StoreToken($0) },
            provider: self[.providerToken]?.text.flatMap { StoreToken($0) })
    }

    /// Leaves out the tokens, which no protocol signs.
    mutating func removeTokens() {
        if has(.campaignToken) { self[.campaignToken] = nil }
        if has(.providerToken) { self[.providerToken] = nil }
    }
}
