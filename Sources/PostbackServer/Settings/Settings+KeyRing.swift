import AdAttribution
import Logging
import PostbackIngest

extension Settings {
    /// The key ring, its postback keys prepared for the verifier that was chosen.
    ///
    /// Where the fast verifier does not agree with libcrypto about a key, that is logged as an error, and libcrypto
    /// verifies under that key.
    func keyRing(_ logger: Logger) throws -> KeyRing {
        var keyRing = try KeyRing(folder: keyRingPath)
        guard verifier == .fixedKey else { return keyRing }
        for name in keyRing.verify(with: FixedKey.backend) {
            logger.error(
                "the fast verifier failed its check; verifying with libcrypto, which is slower",
                metadata: ["postback_key": "\(name)"])
        }
        return keyRing
    }
}
