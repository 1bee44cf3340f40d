/// The table: what each version of SKAdNetwork signs, in which order, and which curve verifies it.
extension SignedLayout {
    /// Impressions, signed with the network's own key, which is on P-256 for every version.
    ///
    /// Sources: Apple, "Combining parameters to generate a signature for SKAdNetwork 2", "Generating the signature to
    /// validate StoreKit-rendered ads", "Generating a signature for attributable web ads".
    static let impressions: [SKAdNetworkVersion: SignedLayout] = [
        .init(major: 2, minor: 0): .init(
            .p256,
            [
                .required(.version), .required(.adNetworkID), .required(.campaignID), .required(.itunesItemID),
                .required(.nonce), .required(.sourceAppID), .required(.timestamp),
            ]),
        .init(major: 4, minor: 0): .init(
            .p256,
            [
                .required(.version), .required(.adNetworkID), .required(.sourceIdentifier), .required(.itunesItemID),
                .required(.nonce), .either(.sourceAppID, .sourceDomain), .required(.fidelityType),
                .required(.timestamp),
            ]),
    ]

    /// Postbacks, signed with Apple's keys: on P-192 up to 2.0.
    ///
    /// Source: Apple, "Combining parameters for previous SKAdNetwork postback versions".
    static let postbacks: [SKAdNetworkVersion: SignedLayout] = [
        .init(major: 2, minor: 0): .init(
            .p192,
            [
                .required(.version), .required(.adNetworkID), .required(.campaignID), .required(.appID),
                .required(.transactionID), .required(.redownload), .optional(.sourceAppID),
            ])
    ]
}
