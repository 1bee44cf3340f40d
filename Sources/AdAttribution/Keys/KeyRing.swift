/// The networks of an installation, the apps whose copies it accepts, and the postback keys that it trusts.
public struct KeyRing: Sendable {
    /// One ad network of this installation.
    public struct Network: Sendable {
        /// The identifier that Apple gave it.
        public let adNetworkID: AdNetworkID
        /// Its private key on P-256; missing where only postbacks are received.
        public let signingKey: SigningKey?
        /// The public half of a second key on P-256, with which it signed before or will sign next.
        public let otherKey: VerificationKey?

        /// A network, the key it signs with, if any, and the other one of a rotation.
        public init(adNetworkID: AdNetworkID, signingKey: SigningKey?, otherKey: VerificationKey? = nil) {
            self.adNetworkID = adNetworkID
            self.signingKey = signingKey
            self.otherKey = otherKey
        }
    }

    /// In which capacity a postback is ours to count.
    public enum Recipient: Sendable, Hashable {
        /// The postback names a network of this installation.
        case network
        /// The network is another's, the advertised app is one whose copies this installation takes.
        case developer
    }

    /// The most postback keys that a ring may have beside Apple's: with these, `SignatureBudget` is never used up.
    public static let maximumPostbackKeys = 32

    /// The networks, in the order given.
    public let networks: [Network]
    /// The apps whose developer copies are taken.
    public let developerApps: Set<AppID>
    /// Every key that postbacks are tried with: production first, then development, then the ring's own.
    public var postbackKeys: [PostbackKey] { orderedKeys.all }
    /// The same, to verify with.
    private(set) var orderedKeys: OrderedPostbackKeys

    private let networkForms: Set<String>
    /// The usual spellings of each network, which make up nearly all that comes.
    private let usualSpellings: Set<String>
    private let signingKeys: [String: SigningKey]

    /// A key ring out of its parts; Apple's keys are always in it.
    ///
    /// - Throws: `FieldError` if two networks or two key names are the same, or there are too many postback keys. It throws
    ///   the same if a key of a network is not on P-256, or both keys of a network are the same.
    public init(
        networks: [Network], developerApps: [AppID] = [], postbackKeys: [PostbackKey] = []
    ) throws(FieldError) {
        var forms: Set<String> = []
        var signingKeys: [String: SigningKey] = [:]
        for network in networks {
            guard forms.insert(network.adNetworkID.matchingForm).inserted else {
                throw FieldError(
                    field: "networks", rule: "each network must stand once", value: network.adNetworkID.text)
            }
            guard network.signingKey.map({ $0.curve == .p256 }) ?? true else {
                throw FieldError(field: "private-key", rule: "must be on P-256", value: network.adNetworkID.text)
            }
            signingKeys[network.adNetworkID.matchingForm] = network.signingKey
            try Self.checkOtherKey(of: network)
        }
        var names: Set<String> = []
        for key in postbackKeys where !names.insert(key.name).inserted {
            throw FieldError(field: "postback-keys", rule: "each name must stand once", value: key.name)
        }
        guard postbackKeys.count <= Self.maximumPostbackKeys else {
            throw FieldError(
                field: "postback-keys", rule: "must be at most \(Self.maximumPostbackKeys)",
                value: String(postbackKeys.count))
        }
        self.networks = networks
        self.developerApps = Set(developerApps)
        orderedKeys = OrderedPostbackKeys(try Self.appleKeys() + postbackKeys)
        self.signingKeys = signingKeys
        networkForms = forms
        let spellings = forms.flatMap { form in
            ["", AdNetworkID.suffixes[0], AdNetworkID.suffixes[1]].map { form + $0 }
        }
        usualSpellings = Set(spellings.filter { AdNetworkID($0).map { forms.contains($0.matchingForm) } == true })
    }

    /// Uses another backend than libcrypto for every postback key, such as `FixedKey.backend(for:)`.
    ///
    /// - Parameter backend: makes the backend for a key.
    /// - Returns: the names of the keys whose backend failed its check, and which libcrypto goes on verifying under.
    public mutating func verify(with backend: (VerificationKey) -> (any SignatureBackend)?) -> [String] {
        var failed: [String] = []
        orderedKeys = OrderedPostbackKeys(
            postbackKeys.map { key in
                guard let checked = key.verifying(with: backend) else {
                    failed.append(key.name)
                    return key
                }
                return checked
            })
        return failed
    }

    /// In which capacity we accept a postback; nil if we do not accept it.
    ///
    /// What was made in the developer settings of a device always is, whatever the ring says: nobody's figures but
    /// `development` hold it.
    public func recipient(of postback: Postback) -> Recipient? {
        if isKnown(postback.adNetworkID) { return .network }
        if developerApps.contains(postback.advertisedAppID) { return .developer }
        return postback.isFromDeveloperSettings ? .network : nil
    }

    private func isKnown(_ adNetworkID: AdNetworkID) -> Bool {
        usualSpellings.contains(adNetworkID.text) || networkForms.contains(adNetworkID.matchingForm)
    }

    /// The key that the network signs with, or nil where the ring has none for it.
    public func signingKey(for adNetworkID: AdNetworkID) -> SigningKey? {
        signingKeys[adNetworkID.matchingForm]
    }

    private static func checkOtherKey(of network: Network) throws(FieldError) {
        guard let other = network.otherKey else { return }
        guard other.curve == .p256 else {
            throw FieldError(field: "other-key", rule: "must be on P-256", value: network.adNetworkID.text)
        }
        guard other.subjectPublicKeyInfo != network.signingKey?.publicKey.subjectPublicKeyInfo else {
            throw FieldError(
                field: "other-key", rule: "must be another key than private-key", value: network.adNetworkID.text)
        }
    }

    private static func appleKeys() throws(FieldError) -> [PostbackKey] {
        var keys: [PostbackKey] = []
        for apple in AppleKey.allCases {
            do {
                keys.append(try PostbackKey(apple))
            } catch {
                throw FieldError(field: apple.rawValue, rule: "\(error)")
            }
        }
        return keys
    }
}
