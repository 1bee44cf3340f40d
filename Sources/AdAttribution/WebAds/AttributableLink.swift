/// A link to the App Store that Safari attributes to a network: what a page shows for a web ad.
///
/// Source: Apple, "Creating an attributable ad link".
public struct AttributableLink: Sendable, Hashable {
    /// The advertised app.
    public let itunesItemID: AppID
    /// Where the device asks for the signed payload.
    public let attributionDestination: AttributionDestination
    /// What the payload is asked for by.
    public let nonce: Nonce

    /// A link.
    public init(itunesItemID: AppID, attributionDestination: AttributionDestination, nonce: Nonce) {
        self.itunesItemID = itunesItemID
        self.attributionDestination = attributionDestination
        self.nonce = nonce
    }

    /// The page of the app.
    public var href: String { "https://apps.apple.com/app/id\(itunesItemID.value)" }

    /// `attributionSourceNonce`: the UUID's bytes in base64url without padding.
    public var attributionSourceNonce: String { nonce.base64URL }

    /// The opening tag; nothing in it needs escaping.
    public var tag: String {
        "<a href=\"\(href)\" attributionDestination=\"\(attributionDestination.text)\""
            + " attributionSourceNonce=\"\(attributionSourceNonce)\">"
    }
}
