extension Postback {
    /// Reads a postback of AdAttributionKit: an unsigned body around a compact JWS.
    init(adAttributionKit fields: WireFields<WireField>, body: [UInt8]) throws(PostbackRejection) {
        let parsed: Result<Postback, PostbackRejection>
        do throws(FieldError) {
            let jws = try CompactJWS(fields.required(.jwsString, fields.bytes(.jwsString)))
            parsed = try jws.withPayload { (payload) throws(FieldError) in
                do throws(FieldError) {
                    return .success(try Postback(payload, around: fields, jws: jws, body: body))
                } catch {
                    return .failure(.malformed(error, PostbackClaims(adAttributionKit: payload)))
                }
            }
        } catch {
            throw .malformed(error, PostbackClaims(attributionProtocol: .adAttributionKit))
        }
        self = try parsed.get()
    }

    private init(
        _ payload: WireFields<AdAttributionKitField>, around fields: WireFields<WireField>, jws: CompactJWS,
        body: [UInt8]
    ) throws(FieldError) {
        let adNetworkID = try payload.required(
            .adNetworkIdentifier, payload.text(.adNetworkIdentifier, as: AdNetworkID.self))
        let campaign = Campaign.sourceIdentifier(
            try payload.required(.sourceIdentifier, payload.text(.sourceIdentifier, as: SourceIdentifier.self)))
        let advertisedAppID = try payload.required(
            .advertisedItemIdentifier, payload.integer(.advertisedItemIdentifier, as: AppID.self))
        let transactionID = try payload.required(
            .postbackIdentifier, payload.text(.postbackIdentifier, as: TransactionID.self))
        let source = try payload.integer(.publisherItemIdentifier, as: AppID.self).map(AttributionSource.app)
        let didWin = try payload.required(.didWin, payload.boolean(.didWin))
        let sequenceIndex = try payload.required(
            .postbackSequenceIndex, payload.integer(.postbackSequenceIndex, as: PostbackSequenceIndex.self))
        _ = try payload.required(.impressionType, payload.text(.impressionType, as: ImpressionType.self))
        let conversionType = try payload.required(
            .conversionType, payload.text(.conversionType, as: ConversionType.self))
        let marketplace = try payload.text(.marketplaceIdentifier, as: MarketplaceIdentifier.self)
        let reported = try ReportedConversionValue.read(fields, didWin: didWin, sequenceIndex: sequenceIndex)
        self.init(
            adNetworkID: adNetworkID, campaign: campaign, advertisedAppID: advertisedAppID,
            transactionID: transactionID, source: source, didWin: didWin, sequenceIndex: sequenceIndex,
            conversionValue: reported.value, countryCode: try? fields.text(.countryCode, as: CountryCode.self),
            details: .adAttributionKit(
                PostbackDetails.AdAttributionKit(
                    conversionType: conversionType,
                    adInteractionType: try fields.text(.adInteractionType, as: AdInteractionType.self),
                    marketplaceIdentifier: marketplace, jws: jws)),
            isRelayNormalised: reported.wasLowered, body: body)
    }

    /// The network that postbacks made in the developer settings of a device name.
    static let developerSettingsNetwork = "development.adattributionkit"

    /// Whether the postback says that it was made in the developer settings of a device: under Apple's key for these
    /// and the network name that goes with it.
    public var isFromDeveloperSettings: Bool {
        details.adAttributionKit?.keyID == AppleKey.developerSettings.rawValue
            && adNetworkID.lowercased == Self.developerSettingsNetwork
    }
}
