internal import COpenSSL

/// A private key that signs with ECDSA over SHA-256.
///
/// It is parsed once and can be used on many threads.
public struct SigningKey: Sendable {
    let key: EVPKey
    private let contexts: SigningContexts

    /// Reads a private key in PEM form, SEC1 (`BEGIN EC PRIVATE KEY`) or PKCS#8 (`BEGIN PRIVATE KEY`).
    ///
    /// - Throws: `KeyError`. An encrypted file is `unreadable`; there is never a prompt.
    public init(pem: some StringProtocol, curve: Curve = .p256) throws(KeyError) {
        let bytes = Array(pem.utf8)
        let key = try EVPKey(owning: adattribution_read_private_key(bytes, Int32(clamping: bytes.count)))
        guard key.curve == curve else { throw .wrongCurve }
        try key.checkBothHalves()
        self.init(key: key)
    }

    private init(key: EVPKey) {
        self.key = key
        contexts = SigningContexts(key: key)
    }

    /// Makes a new key pair with libcrypto's random numbers.
    public static func generate(_ curve: Curve = .p256) throws(KeyError) -> SigningKey {
        guard let pointer = adattribution_generate_ec_key(curve.groupName) else { throw .unavailable }
        return SigningKey(key: try EVPKey(owning: pointer))
    }

    /// The curve of the key.
    public var curve: Curve { key.curve }

    /// The private key as unencrypted PKCS#8 PEM, which is secret.
    public var pem: String { key.privateKeyPEM }

    /// The public key.
    public var publicKey: VerificationKey { VerificationKey(key: key) }

    /// Signs the SHA-256 of a message.
    ///
    /// - Returns: The signature as ASN.1 DER, `SEQUENCE { r, s }`.
    public func signature(of message: [UInt8]) throws(KeyError) -> [UInt8] {
        try contexts.signature(of: message)
    }
}
