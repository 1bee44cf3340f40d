/// Reproducible postbacks under test keys, for demos, load and tests: made up, yet signed as Apple signs its own.
///
/// Every delivery is a function of the configuration, the key and its index, so that they can be made in any order and
/// on many threads; there is no I/O and no clock. What is signed, and in which order, comes from the one table of
/// versions. Redeliveries differ from the first in nothing but the conversion value, which no version signs.
public struct PostbackSimulator: Sendable {
    /// What is simulated.
    public let configuration: Configuration
    /// How many different postbacks there are.
    public let firstDeliveries: Int
    /// How many deliveries bring an earlier postback again without a higher value, in order of time.
    public let duplicates: Int
    /// How many deliveries bring an earlier postback again with a higher value than any before, in order of time.
    public let raises: Int

    private let layout: SignedLayout
    private let signer: DeterministicSignature
    private let plan: DeliveryPlan

    /// The version that is simulated where none is given.
    public static let defaultVersion = SKAdNetworkVersion(major: 2, minor: 0)

    /// The versions that can be simulated.
    public static var versions: [SKAdNetworkVersion] { SignedLayout.postbacks.keys.sorted() }

    /// The curve of the key that signs a version, or nil where the version can't be simulated.
    public static func curve(of version: SKAdNetworkVersion) -> Curve? { SignedLayout.postbacks[version]?.curve }

    /// A simulator whose postbacks a test key signs.
    ///
    /// - Throws: `FieldError` with what is wrong in the configuration, or where the key is not on the version's curve.
    public init(_ configuration: Configuration, key: SigningKey) throws(FieldError) {
        try configuration.validate()
        guard let layout = SignedLayout.postbacks[configuration.version] else {
            throw FieldError(
                .version, "must be one of \(Self.versions.map(\.description).joined(separator: ", "))",
                value: configuration.version.description)
        }
        guard key.curve == layout.curve, let signer = try? DeterministicSignature(key: key) else {
            throw FieldError(
                field: "key",
                rule: "must be a private key on \(layout.curve == .p192 ? "P-192" : "P-256") "
                    + "for postbacks of version \(configuration.version)")
        }
        self.configuration = configuration
        self.layout = layout
        self.signer = signer
        duplicates = configuration.duplicateCount
        raises = configuration.raiseCount
        firstDeliveries = configuration.count - duplicates - raises
        plan = DeliveryPlan(configuration)
    }

    /// How many deliveries there are.
    public var count: Int { configuration.count }

    /// The body of one delivery, 0…`count` − 1, or nil outside.
    ///
    /// - Throws: `KeyError` where libcrypto refuses.
    public func body(at index: Int) throws(KeyError) -> [UInt8]? {
        guard plan.deliveries.indices.contains(index) else { return nil }
        let delivery = plan.deliveries[index]
        guard
            let postback = Postback(
                simulating: delivery.postback, conversionValue: delivery.conversionValue, in: configuration, layout)
        else { return nil }
        return postback.simulatedBody(signature: try signer.signature(of: postback.signedMessage.bytes))
    }

    /// The bodies of all deliveries, in order.
    ///
    /// - Throws: `KeyError` where libcrypto refuses.
    public func bodies() throws(KeyError) -> [[UInt8]] {
        var bodies: [[UInt8]] = []
        bodies.reserveCapacity(count)
        for index in 0..<count {
            if let body = try body(at: index) { bodies.append(body) }
        }
        return bodies
    }
}
