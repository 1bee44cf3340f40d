/// Where a private key is: in a file, or in a token that signs and never gives the key away.
///
/// A token is a hardware module or a key service, which libcrypto reaches by PKCS #11.
public enum PrivateKeyLocation: Sendable, Hashable {
    /// A file in PEM form.
    case file(String)
    /// A key of a token.
    case token(TokenKeyURI)

    /// Reads a setting: a text that begins with `pkcs11:` is a URI, every other one is the name of a file.
    ///
    /// - Returns: nil for a URI that breaks `TokenKeyURI.rule`.
    public init?(_ text: String) {
        guard text.hasPrefix(TokenKeyURI.scheme) else {
            self = .file(text)
            return
        }
        guard let uri = TokenKeyURI(text) else { return nil }
        self = .token(uri)
    }
}

/// The name of a private key in a token, such as `pkcs11:token=ads;object=example123`.
///
/// Source: RFC 7512, of which only attributes of the path are allowed. The query can hold a PIN, a command that prints
/// one, or a library to load, and none of these belongs into a name.
public struct TokenKeyURI: Sendable, Hashable {
    /// What a URI must be.
    public static let rule =
        "must be pkcs11: with attributes of RFC 7512 such as token=NAME;object=NAME, of which one is object or id, "
        + "at most 1024 characters, and no query: the PIN is in a file of its own"

    static let scheme = "pkcs11:"
    private static let names: Set<Substring> = [
        "token", "manufacturer", "serial", "model", "library-manufacturer", "library-description", "library-version",
        "object", "id", "slot-manufacturer", "slot-description", "slot-id",
    ]

    /// The URI as libcrypto gets it: with the type of the key.
    let text: String

    /// Takes a URI.
    ///
    /// - Returns: nil if it breaks the rule.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.scheme), text.utf8.count <= 1_024 else { return nil }
        var names: Set<Substring> = []
        for attribute in text.dropFirst(Self.scheme.count).split(separator: ";", omittingEmptySubsequences: false) {
            let parts = attribute.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty, parts[1].utf8.allSatisfy(Self.isAllowed) else { return nil }
            if parts[0] == "type" {
                guard parts[1] == "private" else { return nil }
            } else if !Self.names.contains(parts[0]) {
                return nil
            }
            guard names.insert(parts[0]).inserted else { return nil }
        }
        guard names.contains("object") || names.contains("id") else { return nil }
        self.text = names.contains("type") ? text : text + ";type=private"
    }

    /// RFC 7512, section 2.3: what a value of the path is made of, beside `%` of an encoded byte.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~:[]@!$'()*+,=&%".utf8.contains(byte)
        }
    }
}
