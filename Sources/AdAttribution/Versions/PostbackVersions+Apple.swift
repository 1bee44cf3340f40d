/// Apple's fields of postbacks.
///
/// Sources: Apple, "Identifying the parameters in install-validation postbacks"; AdAttributionKit, "Identifying the
/// parameters in a postback".
extension PostbackField {
    static let version = PostbackField("version", .text(SKAdNetworkVersion.self), .version)
    static let adNetworkID = PostbackField("ad-network-id", .text(AdNetworkID.self), .adNetworkID)
    static let campaignID = PostbackField(
        "campaign-id", .integer(CampaignID.self), .campaign, examples: [.integer(42)])
    static let sourceIdentifier = PostbackField(
        "source-identifier", .text(SourceIdentifier.self), .campaign, examples: [.text("9999")])
    static let appID = PostbackField("app-id", .integer(AppID.self), .advertisedAppID)
    static let transactionID = PostbackField("transaction-id", .uuid, .transactionID)
    static let redownload = PostbackField(
        "redownload", .boolean, .trait("redownload"), examples: [.boolean(false), .boolean(true)])
    static let sourceAppID = PostbackField("source-app-id", .integer(AppID.self), .sourceAppID)
    static let sourceDomain = PostbackField("source-domain", .text(SourceDomain.self), .sourceDomain)
    static let fidelityType = PostbackField(
        "fidelity-type", .integer(FidelityType.self), .trait("fidelity_type"), examples: [.integer(0), .integer(1)])
    static let didWin = PostbackField("did-win", .boolean, .didWin, examples: [.boolean(false)])
    static let postbackSequenceIndex = PostbackField(
        "postback-sequence-index", .integer(PostbackSequenceIndex.self), .sequenceIndex, examples: [.integer(2)])

    // AdAttributionKit's own, inside the JWS.
    static let postbackIdentifier = PostbackField("postback-identifier", .uuid, .transactionID)
    static let publisherItemIdentifier = PostbackField(
        "publisher-item-identifier", .integer(AppID.self), .sourceAppID)
    static let marketplaceIdentifier = PostbackField(
        "marketplace-identifier", .text(MarketplaceIdentifier.self), .trait("marketplace_identifier"))
    static let impressionType = PostbackField(
        "impression-type", .text(ImpressionType.self), .none, examples: [.text(ImpressionType.app.rawValue)])
    static let adNetworkIdentifier = PostbackField(
        "ad-network-identifier", .text(AdNetworkID.self), .adNetworkID)
    static let conversionType = PostbackField(
        "conversion-type", .text(ConversionType.self), .trait("conversion_type"))
    static let advertisedItemIdentifier = PostbackField(
        "advertised-item-identifier", .integer(AppID.self), .advertisedAppID)

    // Not signed.
    static let adInteractionType = PostbackField(
        "ad-interaction-type", .text(AdInteractionType.self), .trait("ad_interaction_type"))
    static let countryCode = PostbackField(
        "country-code", .text(CountryCode.self), .trait("country_code"), isLenient: true)
}

extension PostbackVersions {
    /// What Apple's versions sign: on P-192 up to 2.0, on P-256 from 2.1 on.
    ///
    /// Sources: Apple, "Combining parameters for previous SKAdNetwork postback versions", "Combining parameters for
    /// SKAdNetwork 3 postbacks", "Verifying an install-validation postback".
    package static let apple = PostbackVersions(
        skAdNetwork: [
            // A 1.0 body may carry its version; the signature never covers it.
            .init(
                .v1_0, .p192, values: [],
                [.required(.adNetworkID), .required(.campaignID), .required(.appID), .required(.transactionID)]),
            .init(.v2_0, .p192, values: .fine, postback2),
            .init(.v2_1, .p256, values: .fine, postback2),
            .init(.v2_2, .p256, values: .fine, postback2 + [.required(.fidelityType)]),
            .init(.v3_0, .p256, values: .fine, postback2 + [.required(.fidelityType), .required(.didWin)]),
            .init(.v4_0, .p256, values: [.fine, .coarse], postback4),
        ],
        adAttributionKit: .init(
            nil, .p256, values: [.fine, .coarse],
            [
                .required(.postbackIdentifier), .optional(.publisherItemIdentifier),
                .optional(.marketplaceIdentifier), .required(.impressionType), .required(.adNetworkIdentifier),
                .required(.didWin), .required(.postbackSequenceIndex), .required(.conversionType),
                .required(.sourceIdentifier), .required(.advertisedItemIdentifier),
            ],
            unsigned: [.adInteractionType, .countryCode]))

    /// The places of 2.0 and 2.1, with which 2.2 and 3.0 begin.
    private static let postback2: [SignedPlace<PostbackField>] = [
        .required(.version), .required(.adNetworkID), .required(.campaignID), .required(.appID),
        .required(.transactionID), .required(.redownload), .optional(.sourceAppID),
    ]

    /// The places of 4.0.
    package static let postback4: [SignedPlace<PostbackField>] = [
        .required(.version), .required(.adNetworkID), .required(.sourceIdentifier), .required(.appID),
        .required(.transactionID), .required(.redownload), .optionalEither(.sourceAppID, .sourceDomain),
        .required(.fidelityType), .required(.didWin), .required(.postbackSequenceIndex),
    ]
}
