import Encodings

import struct Foundation.UUID
import typealias Foundation.uuid_t

/// The link of a web ad: a link to the App Store that Safari attributes to a network.
///
/// Source: Apple, "Creating an attributable ad link".
public struct AttributableLink: Sendable, Hashable {
    /// The advertised app.
    public let itunesItemID: AppID
    /// The site that the device asks for the signed payload.
    public let attributionDestination: AttributionDestination
    /// The nonce with which the device asks for the signed payload.
    public let nonce: Nonce

    /// Makes a link.
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

/// The site of a network that devices ask for the signed payload of a web ad: `https://` and a host.
///
/// Devices ask its eTLD+1, even if it has a subdomain.
/// Source: Apple, "Creating an attributable ad link".
public struct AttributionDestination: TextWireValue {
    /// The host, in lower case.
    public let host: String

    /// Reads a destination; nil if it is not `https://` and a domain in lower case, with or without a slash after it.
    public init?(_ text: String) {
        let scheme = "https://"
        guard text.hasPrefix(scheme) else { return nil }
        let rest = text.dropFirst(scheme.count)
        guard let domain = SourceDomain(String(rest.hasSuffix("/") ? rest.dropLast() : rest)) else { return nil }
        host = domain.text
    }

    /// The destination as in a link.
    public var text: String { "https://" + host }

    /// Whether a domain can be this destination's eTLD+1: it is the host or a parent domain of it.
    public func isIn(_ domain: SourceDomain) -> Bool {
        host == domain.text || host.hasSuffix("." + domain.text)
    }

    /// What the value must be, to complete "must be …".
    public static let rule = "https:// and a domain in lower case, such as https://example.com"
}

extension Nonce {
    /// Reads the nonce of a link: 22 characters of base64url, the UUID's 16 bytes without padding; nil for other texts.
    ///
    /// Source: Apple, "Creating an attributable ad link".
    public init?(base64URL text: String) {
        let bytes = Array(text.utf8).withUnsafeBufferPointer { Base64.decode($0, .urlSafe) }
        guard let bytes, bytes.count == 16 else { return nil }
        self.init(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    }

    /// The nonce as in a link.
    public var base64URL: String {
        Base64.encode(withUnsafeBytes(of: uuid.uuid) { Array($0) }, .urlSafe)
    }
}
