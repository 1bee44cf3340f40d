internal import COpenSSL

/// A private key that signs with ECDSA over SHA-256; parsed once, used from many threads.
public struct SigningKey: Sendable {
    let key: EVPKey
    private let contexts: SigningContexts

    /// Reads a private key in PEM form, SEC1 (`BEGIN EC PRIVATE KEY`) or PKCS#8 (`BEGIN PRIVATE KEY`).
    ///
    /// - Throws: `KeyError`; encrypted files are `unreadable`, never a prompt.
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

    /// Makes a new key pair from libcrypto's random source.
    public static func generate(_ curve: Curve = .p256) throws(KeyError) -> SigningKey {
        guard let pointer = adattribution_generate_ec_key(curve.groupName) else { throw .unavailable }
        return SigningKey(key: try EVPKey(owning: pointer))
    }

    /// The curve of the key.
    public var curve: Curve { key.curve }

    /// The key itself as unencrypted PKCS#8 PEM: a secret.
    public var pem: String { key.privateKeyPEM }

    /// The public half.
    public var publicKey: VerificationKey { VerificationKey(key: key) }

    /// Signs the SHA-256 of a message.
    ///
    /// - Returns: the signature as ASN.1 DER, `SEQUENCE { r, s }`.
    public func signature(of message: [UInt8]) throws(KeyError) -> [UInt8] {
        try contexts.signature(of: message)
    }
}
