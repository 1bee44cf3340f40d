/// The table: what each version of SKAdNetwork signs, in which order, and which curve verifies it.
extension SignedLayout {
    /// Impressions, signed with the network's own key, which is on P-256 for every version.
    ///
    /// Sources: Apple, "Combining parameters to generate a signature for SKAdNetwork 1", "… for SKAdNetwork 2",
    /// "Combining parameters to generate signatures for SKAdNetwork 2.2 and 3", "Generating the signature to validate
    /// StoreKit-rendered ads", "Generating a signature for attributable web ads".
    package static let impressions: [SKAdNetworkVersion: SignedLayout] = [
        .v1_0: .init(
            .p256,
            [
                .required(.adNetworkID), .required(.campaignID), .required(.itunesItemID), .required(.nonce),
                .required(.timestamp),
            ]),
        .v2_0: impression2,
        .v2_1: impression2,
        .v2_2: impression3,
        .v3_0: impression3,
        .v4_0: .init(
            .p256,
            [
                .required(.version), .required(.adNetworkID), .required(.sourceIdentifier), .required(.itunesItemID),
                .required(.nonce), .either(.sourceAppID, .sourceDomain), .required(.fidelityType),
                .required(.timestamp),
            ]),
    ]

    /// Impressions of 2.0 and 2.1, which differ in Apple's postback key only.
    private static let impression2 = SignedLayout(
        .p256,
        [
            .required(.version), .required(.adNetworkID), .required(.campaignID), .required(.itunesItemID),
            .required(.nonce), .required(.sourceAppID), .required(.timestamp),
        ])

    /// Impressions of 2.2 and 3.0: one signature for each fidelity type.
    private static let impression3 = SignedLayout(
        .p256,
        [
            .required(.version), .required(.adNetworkID), .required(.campaignID), .required(.itunesItemID),
            .required(.nonce), .required(.sourceAppID), .required(.fidelityType), .required(.timestamp),
        ])

    /// Postbacks, signed with Apple's keys: on P-192 up to 2.0, on P-256 from 2.1 on.
    ///
    /// Sources: Apple, "Combining parameters for previous SKAdNetwork postback versions", "Combining parameters for
    /// SKAdNetwork 3 postbacks", "Verifying an install-validation postback".
    package static let postbacks: [SKAdNetworkVersion: SignedLayout] = [
        // A 1.0 body may carry its version; the signature never covers it.
        .v1_0: .init(
            .p192,
            [.required(.adNetworkID), .required(.campaignID), .required(.appID), .required(.transactionID)]),
        .v2_0: .init(.p192, postback2),
        .v2_1: .init(.p256, postback2),
        .v2_2: .init(.p256, postback2 + [.required(.fidelityType)]),
        .v3_0: .init(.p256, postback2 + [.required(.fidelityType), .required(.didWin)]),
        .v4_0: .init(
            .p256,
            [
                .required(.version), .required(.adNetworkID), .required(.sourceIdentifier), .required(.appID),
                .required(.transactionID), .required(.redownload), .optionalEither(.sourceAppID, .sourceDomain),
                .required(.fidelityType), .required(.didWin), .required(.postbackSequenceIndex),
            ]),
    ]

    private static let postback2: [SignedField] = [
        .required(.version), .required(.adNetworkID), .required(.campaignID), .required(.appID),
        .required(.transactionID), .required(.redownload), .optional(.sourceAppID),
    ]
}
