/// Why text is not a key that can be used; never holds any of the text.
public enum KeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Not a PEM file of the wanted kind, or an encrypted one.
    case unreadable
    /// A key on a curve other than the wanted one.
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
