package import ECDSA
import Encodings

/// The root under which Apple's servers sign receipts: Root CA of Apple Inc, RSA, until 2035.
///
/// It is not built in. The root is the certificate with Apple's digest that the receipt itself carries: genuine ones
/// carry signer, authority and root. If a receipt does not, its reader must give the root, and the digest is the same.
/// Source: https://www.apple.com/certificateauthority/, `AppleIncRootCertificate.cer`.
package enum AppleIncRoot {
    /// The SHA-256 of the certificate's DER.
    package static let digest = "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"

    /// Whether a certificate is Apple's root.
    package static func isIt(_ certificate: Certificate) -> Bool { hasDigest(certificate, digest) }

    /// Whether the SHA-256 of a certificate is this.
    static func hasDigest(_ certificate: Certificate, _ digest: String) -> Bool {
        Hexadecimal.text(certificate.sha256) == digest
    }
}
