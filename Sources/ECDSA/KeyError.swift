/// Why a text is not a usable key, or why a key can't be used.
///
/// It contains no part of the text, and no passphrase.
public enum KeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Not a key in PEM or base64 form.
    case unreadable
    /// A public key where a private one is wanted.
    case publicKey
    /// A private key, in PEM form, where a public one is wanted.
    case privateKey
    /// An encrypted private key, without its passphrase.
    case encrypted
    /// A passphrase that does not open the private key.
    case wrongPassphrase
    /// A passphrase for a private key that is not encrypted.
    case notEncrypted
    /// A key on another curve than the one asked for.
    case wrongCurve
    /// There is neither a provider nor an engine for keys under `pkcs11:` URIs.
    case noTokenAccess
    /// A token, or what leads to it, refused, with the reason that libcrypto has.
    case token(reason: String)
    /// libcrypto could not make or use a key.
    case unavailable

    /// The reason in words.
    public var description: String {
        switch self {
        case .unreadable: "not a key in PEM or base64 form"
        case .publicKey: "is a public key; a private key is wanted"
        case .privateKey: "is a private key; a public key is wanted"
        case .encrypted: "encrypted, and no passphrase is given"
        case .wrongPassphrase: "encrypted, and the passphrase does not open it"
        case .notEncrypted: "not encrypted, and a passphrase is given"
        case .wrongCurve: "a key on another curve than the one asked for"
        case .noTokenAccess:
            "OpenSSL has no provider and no engine for pkcs11: URIs; Debian 12 has libengine-pkcs11-openssl"
        case .token(let reason): "the token can't be used: \(reason)"
        case .unavailable: "the cryptographic library refused the operation"
        }
    }
}
