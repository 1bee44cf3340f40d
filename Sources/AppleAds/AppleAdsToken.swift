package import AdAttribution

/// A token that an app got from AdServices and gave to its developer's backend.
///
/// It is a secret for 24 hours: who has it gets what Apple knows of the install. It counts once by its digest.
package struct AppleAdsToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// What the text of a token must be, to complete "must be …".
    package static let rule = "a token of AdServices: 16 to 2048 characters of base64"

    /// The app that made it.
    package let appID: AppID
    let text: String
    /// Its SHA-256.
    let digest: [UInt8]

    /// Takes a token; nil if it breaks the rule.
    package init?(_ text: String, appID: AppID) {
        guard (16...2_048).contains(text.utf8.count), text.utf8.allSatisfy(Self.isBase64) else { return nil }
        digest = SHA256.digest(Array(text.utf8))
        guard digest.count == 32 else { return nil }
        self.appID = appID
        self.text = text
    }

    /// Whether a byte is of one of the two alphabets of base64, or fills.
    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    /// Says only that there is one.
    package var description: String { "a token of Apple Ads" }

    /// Shows nothing of it.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
