/// The table of impressions: what each version signs, in which order.
///
/// A network signs with its own key, which is on P-256 for every version.
/// The sources are pages of Apple's documentation:
/// - "Combining parameters to generate a signature for SKAdNetwork 1" and "… for SKAdNetwork 2"
/// - "Combining parameters to generate signatures for SKAdNetwork 2.2 and 3"
/// - "Generating the signature to validate StoreKit-rendered ads"
/// - "Generating a signature for attributable web ads"
enum ImpressionVersions {
    /// The versions of SKAdNetwork.
    static let skAdNetwork: [SKAdNetworkVersion: ImpressionLayout] = [
        .v1_0: .init([
            .required(.adNetworkID), .required(.campaignID), .required(.itunesItemID), .required(.nonce),
            .required(.timestamp),
        ]),
        // 2.0 and 2.1 differ in Apple's postback key only.
        .v2_0: impression2,
        .v2_1: impression2,
        // One signature for each fidelity type.
        .v2_2: impression3,
        .v3_0: impression3,
        .v4_0: .init([
            .required(.version), .required(.adNetworkID), .required(.sourceIdentifier), .required(.itunesItemID),
            .required(.nonce), .either(.sourceAppID, .sourceDomain), .required(.fidelityType), .required(.timestamp),
        ]),
    ]

    private static let impression2 = ImpressionLayout([
        .required(.version), .required(.adNetworkID), .required(.campaignID), .required(.itunesItemID),
        .required(.nonce), .required(.sourceAppID), .required(.timestamp),
    ])

    private static let impression3 = ImpressionLayout([
        .required(.version), .required(.adNetworkID), .required(.campaignID), .required(.itunesItemID),
        .required(.nonce), .required(.sourceAppID), .required(.fidelityType), .required(.timestamp),
    ])

    /// The fields of AdAttributionKit's JWS in the order of Apple's page, and what they are called in SKAdNetwork.
    ///
    /// `impression-type` has one value, and no such field in SKAdNetwork.
    static let adAttributionKit: [(name: String, place: SignedPlace<ImpressionField>)] = [
        ("impression-identifier", .required(.nonce)), ("publisher-item-identifier", .required(.sourceAppID)),
        ("ad-network-identifier", .required(.adNetworkID)), ("source-identifier", .required(.sourceIdentifier)),
        ("timestamp", .required(.timestamp)), ("advertised-item-identifier", .required(.itunesItemID)),
        ("eligible-for-re-engagement", .optional(.eligibleForReengagement)),
    ]
}

/// How a version signs an impression.
final class ImpressionLayout: Sendable {
    /// The places of the signed message in order.
    let places: [SignedPlace<ImpressionField>]
    /// Every field that may be signed, in the order of the places.
    let fields: [ImpressionField]
    /// The same as an answer for each field, in the order of `ImpressionField.allCases`.
    private let isSigned: [Bool]
    /// The curve of the verifying key.
    let curve = Curve.p256

    init(_ places: [SignedPlace<ImpressionField>]) {
        self.places = places
        let fields = places.flatMap(\.fields)
        self.fields = fields
        isSigned = ImpressionField.allCases.map { fields.contains($0) }
    }

    /// Whether the version signs this field.
    func signs(_ field: ImpressionField) -> Bool { isSigned[field.slot] }
}

/// Two layouts are equal if they are one object.
extension ImpressionLayout: Hashable {
    static func == (left: ImpressionLayout, right: ImpressionLayout) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
