/// Why a text is not a usable key.
///
/// It contains no part of the text.
public enum KeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Not a key in PEM or base64 form, or an encrypted one.
    case unreadable
    /// A key on another curve than the one asked for.
    case wrongCurve
    /// libcrypto could not make or use a key.
    case unavailable

    /// The reason in words.
    public var description: String {
        switch self {
        case .unreadable: "not a key in PEM or base64 form without a passphrase"
        case .wrongCurve: "a key on another curve than the one asked for"
        case .unavailable: "the cryptographic library refused the operation"
        }
    }
}
