/// A public key that postbacks are verified with: Apple's, or one of the key ring.
public struct PostbackKey: Sendable {
    /// The name that is stored with each postback it verified; also the `kid` of AdAttributionKit.
    public let name: String
    /// What a postback under this key counts as.
    public let environment: AttributionEnvironment
    /// The key itself.
    public let key: VerificationKey

    /// One of Apple's keys.
    public init(_ apple: AppleKey) throws(KeyError) {
        name = apple.rawValue
        environment = apple.environment
        key = try VerificationKey(apple.subjectPublicKeyInfo)
    }

    /// A key of the ring, which counts as `development` or `test`, never as `production`.
    ///
    /// - Throws: `FieldError` where the name is empty, longer than 64 bytes, or begins with `apple-`, or where the
    ///   environment is `production`.
    public init(name: String, environment: AttributionEnvironment, key: VerificationKey) throws(FieldError) {
        // By bytes: `hasPrefix` goes by characters, and a combining mark behind the dash would hide it.
        guard (1...64).contains(name.utf8.count), !name.utf8.starts(with: AppleKey.namePrefix.utf8) else {
            throw FieldError(field: "name", rule: "must be 1 to 64 bytes and not begin with apple-", value: name)
        }
        guard environment != .production else {
            throw FieldError(field: "environment", rule: "must be development or test", value: "production")
        }
        self.name = name
        self.environment = environment
        self.key = key
    }
}
