internal import COpenSSL

/// A private key that signs with ECDSA over SHA-256.
///
/// It is parsed once and can be used on many threads.
public struct SigningKey: Sendable {
    /// The private half: in this process, or a handle to a token.
    let key: EVPKey
    /// The public key.
    public let publicKey: VerificationKey
    /// Whether the private key is in a token: each signature is then made there, which may take its time, and fail.
    public let isInToken: Bool
    private let contexts: SigningContexts

    /// Reads a private key in PEM form, SEC1 (`BEGIN EC PRIVATE KEY`) or PKCS#8 (`BEGIN PRIVATE KEY`), both also
    /// encrypted.
    ///
    /// - Parameter passphrase: What opens an encrypted key; nil for one that is not encrypted.
    /// - Throws: `KeyError`; there is never a prompt.
    public init(
        pem: some StringProtocol, passphrase: Passphrase? = nil, curve: Curve = .p256
    ) throws(KeyError) {
        let key = try EVPKey(owning: try Self.read(Array(pem.utf8), passphrase))
        guard key.curve == curve else { throw .wrongCurve }
        try key.checkBothHalves()
        self.init(key: key)
    }

    /// Finds a private key of a token, and lets it sign once to see that it does.
    ///
    /// - Parameter pin: The PIN of the token; nil if it wants none. It is shown once, since a token may lock itself.
    /// - Throws: `KeyError`; there is never a prompt.
    public init(_ uri: TokenKeyURI, pin: Passphrase?, curve: Curve = .p256) throws(KeyError) {
        let pointer = try TokenKeys.key(uri, pin)
        // libcrypto knows less about a key of a token than about a public key.
        let publicKey: VerificationKey
        do throws(KeyError) {
            publicKey = try VerificationKey(subjectPublicKeyInfo: EVPKey.publicKeyDER(of: pointer))
        } catch {
            EVP_PKEY_free(pointer)
            throw error
        }
        let key = EVPKey(owning: pointer, on: publicKey.curve)
        guard key.curve == curve else { throw .wrongCurve }
        self.init(key: key, publicKey: publicKey, isInToken: true)
        let sample: [UInt8] = Array("AdAttribution".utf8)
        guard publicKey.isValid(signature: try signature(of: sample), for: sample) else {
            throw .token(reason: "its signature does not verify under its public key")
        }
    }

    private init(key: EVPKey) {
        self.init(key: key, publicKey: VerificationKey(key: key), isInToken: false)
    }

    private init(key: EVPKey, publicKey: VerificationKey, isInToken: Bool) {
        self.key = key
        self.publicKey = publicKey
        self.isInToken = isInToken
        contexts = SigningContexts(key: key)
    }

    /// Makes a new key pair with libcrypto's random numbers.
    public static func generate(_ curve: Curve = .p256) throws(KeyError) -> SigningKey {
        guard let pointer = adattribution_generate_ec_key(curve.groupName) else { throw .unavailable }
        return SigningKey(key: try EVPKey(owning: pointer))
    }

    /// The curve of the key.
    public var curve: Curve { key.curve }

    /// The private key as unencrypted PKCS#8 PEM, which is secret; empty if it is in a token.
    public var pem: String { key.privateKeyPEM }

    /// The private key as PKCS#8 PEM, encrypted with AES-256 under a passphrase; empty if it is in a token.
    public func pem(encryptedWith passphrase: Passphrase) -> String { key.privateKeyPEM(passphrase) }

    /// Signs the SHA-256 of a message.
    ///
    /// - Returns: The signature as ASN.1 DER, `SEQUENCE { r, s }`.
    public func signature(of message: [UInt8]) throws(KeyError) -> [UInt8] {
        try contexts.signature(of: message)
    }

    /// A key out of PEM text, which the caller owns.
    private static func read(_ bytes: [UInt8], _ passphrase: Passphrase?) throws(KeyError) -> OpaquePointer {
        var asked: Int32 = 0
        func key(_ secret: inout adattribution_secret) -> OpaquePointer? {
            defer { asked = secret.asked }
            return adattribution_read_private_key(bytes, Int32(clamping: bytes.count), &secret)
        }
        let pointer = Passphrase.withSecret(of: passphrase, key)
        guard let pointer else {
            ERR_clear_error()
            if asked == 0 { throw VerificationKey.isPublic(bytes) ? .publicKey : .unreadable }
            throw passphrase == nil ? .encrypted : .wrongPassphrase
        }
        guard passphrase == nil || asked > 0 else {
            EVP_PKEY_free(pointer)
            throw .notEncrypted
        }
        return pointer
    }
}
