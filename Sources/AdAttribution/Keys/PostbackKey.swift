import Encodings
import StrictJSON

/// A public key that postbacks are verified with: Apple's, or one of the key ring.
public struct PostbackKey: Sendable {
    /// All values, behind one reference, because a key is copied with each postback that it verifies.
    private let content: Content

    private final class Content: Sendable {
        let name: String
        let environment: AttributionEnvironment
        let key: VerificationKey

        init(_ name: String, _ environment: AttributionEnvironment, _ key: VerificationKey) {
            self.name = name
            self.environment = environment
            self.key = key
        }
    }

    /// The name that is stored with each postback it verified; also the `kid` of AdAttributionKit.
    public var name: String { content.name }
    /// The environment of a postback under this key.
    public var environment: AttributionEnvironment { content.environment }
    /// The key itself.
    public var key: VerificationKey { content.key }
    /// Whether it is one of Apple's own keys; no key of the ring can have the name of one.
    public var isApples: Bool { AppleKey(rawValue: name) != nil }

    /// One of Apple's keys.
    public init(_ apple: AppleKey) throws(KeyError) {
        content = Content(apple.rawValue, apple.environment, try VerificationKey(apple.subjectPublicKeyInfo))
    }

    /// The same key with another backend; nil if the backend fails its check.
    func verifying(with backend: (VerificationKey) -> (any SignatureBackend)?) -> PostbackKey? {
        key.verifying(with: backend).map { PostbackKey(Content(name, environment, $0)) }
    }

    private init(_ content: Content) {
        self.content = content
    }

    /// Whether the key may have made this signature: it is on the curve, and has the name, if one is given.
    func mayHaveMade(_ claim: SignatureClaim) -> Bool {
        guard key.curve == claim.curve else { return false }
        guard let keyID = claim.keyID else { return true }
        // Byte for byte: a comparison of strings takes different spellings of a character for the same.
        return name.utf8.elementsEqual(keyID.utf8)
    }

    /// What a postback under this key counts as: under a production key `production`, unless its *signed* source app id
    /// is 0, which only development builds carry.
    func environment(of postback: Postback) -> AttributionEnvironment {
        guard environment == .production else { return environment }
        return postback.source?.appID == .development ? .development : .production
    }

    /// A key of the ring, which counts as `development` or `test`, never as `production`.
    ///
    /// - Throws: `FieldError` if the environment is `production`, or if the name is wrong. It has 1 to 64 printable
    ///   ASCII characters and does not begin with `apple-`, in any letter case.
    public init(name: String, environment: AttributionEnvironment, key: VerificationKey) throws(FieldError) {
        // The name stands in a column and in logs: nothing in it that a terminal or a reader could mistake.
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !name.lowercased().hasPrefix(AppleKey.namePrefix)
        else {
            throw FieldError(
                field: "name", rule: "must be 1 to 64 printable ASCII characters and not begin with apple-",
                value: JSONText.quoted(name.prefix(bytes: 60)))
        }
        guard environment != .production else {
            throw FieldError(field: "environment", rule: "must be development or test", value: "production")
        }
        content = Content(name, environment, key)
    }
}
