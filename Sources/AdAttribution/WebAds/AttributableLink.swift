import Encodings

import struct Foundation.UUID
import typealias Foundation.uuid_t

/// The link of a web ad: a link to the App Store that Safari attributes to a network.
///
/// Source: Apple, "Creating an attributable ad link".
package struct AttributableLink: Sendable, Hashable {
    /// The advertised app.
    package let itunesItemID: AppID
    /// The site that the device asks for the signed payload.
    package let attributionDestination: AttributionDestination
    /// The nonce with which the device asks for the signed payload.
    package let nonce: Nonce

    /// Makes a link.
    package init(itunesItemID: AppID, attributionDestination: AttributionDestination, nonce: Nonce) {
        self.itunesItemID = itunesItemID
        self.attributionDestination = attributionDestination
        self.nonce = nonce
    }

    /// The page of the app.
    package var href: String { "https://apps.apple.com/app/id\(itunesItemID.value)" }

    /// `attributionSourceNonce`: the UUID's bytes in base64url without padding.
    package var attributionSourceNonce: String { nonce.base64URL }

    /// The opening tag; nothing in it needs escaping.
    package var tag: String {
        "<a href=\"\(href)\" attributionDestination=\"\(attributionDestination.text)\""
            + " attributionSourceNonce=\"\(attributionSourceNonce)\">"
    }
}

/// The site of a network that devices ask for the signed payload of a web ad: `https://` and a host.
///
/// Devices ask its eTLD+1, even if it has a subdomain.
/// Source: Apple, "Creating an attributable ad link".
package struct AttributionDestination: TextWireValue {
    /// The host, in lower case.
    package let host: String

    /// Reads a destination; nil if it is not `https://` and a domain in lower case, with or without a slash after it.
    ///
    /// A public suffix is refused: it has no eTLD+1 that a device could ask.
    package init?(_ text: String) {
        let scheme = "https://"
        guard text.hasPrefix(scheme) else { return nil }
        let rest = text.dropFirst(scheme.count)
        guard let domain = SourceDomain(String(rest.hasSuffix("/") ? rest.dropLast() : rest)),
            domain.registrable != nil
        else { return nil }
        host = domain.text
    }

    /// The destination as in a link.
    package var text: String { "https://" + host }

    /// Whether a domain can be this destination's eTLD+1: it is the host or a parent domain of it, and no public suffix.
    ///
    /// A domain below our eTLD+1 is accepted too: the device's list may know a public suffix that ours does not.
    package func isIn(_ domain: SourceDomain) -> Bool {
        (host == domain.text || host.hasSuffix("." + domain.text)) && domain.registrable != nil
    }

    /// What the value must be, to complete "must be …".
    package static let rule =
        "https:// and a domain in lower case that is no public suffix, such as https://example.com"
}

extension Nonce {
    /// Reads the nonce of a link: 22 characters of base64url, the UUID's 16 bytes without padding; nil for other texts.
    ///
    /// Source: Apple, "Creating an attributable ad link".
    package init?(base64URL text: String) {
        let bytes = Array(text.utf8).withUnsafeBufferPointer { Base64.decode($0, .urlSafe) }
        guard let bytes, bytes.count == 16 else { return nil }
        self.init(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    }

    /// The nonce as in a link.
    package var base64URL: String {
        Base64.encode(withUnsafeBytes(of: uuid.uuid) { Array($0) }, .urlSafe)
    }
}
