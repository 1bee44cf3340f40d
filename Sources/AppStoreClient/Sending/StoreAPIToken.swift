package import AppStoreData
package import ECDSA
import Encodings
import StrictJSON

/// The token of requests to Apple's API: a JSON Web Signature by the developer's key.
///
/// Source: Apple, "Generating JSON Web Tokens for API requests".
package struct StoreAPIToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// The seconds from its making to its end; Apple takes 3,600 at most.
    package static let lifetime: Int64 = 1_200
    /// The seconds before its end in which it is not used any more.
    package static let margin: Int64 = 60

    /// The compact form, which is secret until it ends.
    package let text: String
    private let madeAt: Int64

    /// Makes a token.
    ///
    /// - Parameter seconds: Now, in seconds since 1970.
    /// - Throws: `KeyError` if the key is not on P-256, or does not sign.
    package init(_ credentials: StoreAPICredentials, at seconds: Int64) throws(KeyError) {
        guard credentials.key.curve == .p256 else { throw .wrongCurve }
        var header = JSONObjectText()
        header.append("alg", "ES256")
        header.append("kid", credentials.keyID)
        header.append("typ", "JWT")
        var claims = JSONObjectText()
        claims.append("iss", credentials.issuerID)
        claims.append("iat", seconds)
        claims.append("exp", seconds + Self.lifetime)
        claims.append("aud", "appstoreconnect-v1")
        claims.append("bid", credentials.bundleID)
        let signed = Base64.encode(header.finished(), .urlSafe) + "." + Base64.encode(claims.finished(), .urlSafe)
        let der = try credentials.key.signature(of: Array(signed.utf8))
        guard let signature = ECDSASignature.concatenated(der: der) else { throw .unavailable }
        text = signed + "." + Base64.encode(signature, .urlSafe)
        madeAt = seconds
    }

    /// Whether it can be used: it does not end soon, and the clock was not set back since.
    package func isGood(at seconds: Int64) -> Bool {
        madeAt <= seconds && seconds - madeAt < Self.lifetime - Self.margin
    }

    /// Says only that there is one.
    package var description: String { "a token of Apple's API" }

    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
