extension Postback {
    /// Reads a postback of SKAdNetwork; without a version it is one of 1.0.
    init(skAdNetwork fields: WireFields<WireField>, body: [UInt8]) throws(PostbackRejection) {
        let version: SKAdNetworkVersion
        do throws(FieldError) {
            version = try fields.text(.version, as: SKAdNetworkVersion.self) ?? .v1_0
        } catch {
            throw .malformed(error, PostbackClaims(skAdNetwork: fields))
        }
        guard let layout = SignedLayout.postbacks[version] else {
            throw .unsupportedVersion(version, PostbackClaims(skAdNetwork: fields))
        }
        do throws(FieldError) {
            self = try Postback(fields, version: version, layout: layout, body: body)
        } catch {
            throw .malformed(error, PostbackClaims(skAdNetwork: fields))
        }
    }

    private init(
        _ fields: WireFields<WireField>, version: SKAdNetworkVersion, layout: SignedLayout, body: [UInt8]
    ) throws(FieldError) {
        let adNetworkID = try fields.required(.adNetworkID, fields.text(.adNetworkID, as: AdNetworkID.self))
        let campaign: Campaign
        if layout.signs(.sourceIdentifier) {
            campaign = .sourceIdentifier(
                try fields.required(.sourceIdentifier, fields.text(.sourceIdentifier, as: SourceIdentifier.self)))
        } else {
            campaign = .campaignID(
                try fields.required(.campaignID, fields.integer(.campaignID, as: CampaignID.self)))
        }
        let advertisedAppID = try fields.required(.appID, fields.integer(.appID, as: AppID.self))
        let transactionID = try fields.required(.transactionID, fields.text(.transactionID, as: TransactionID.self))
        let redownload =
            layout.signs(.redownload) ? try fields.required(.redownload, fields.boolean(.redownload)) : nil
        let source = try Self.source(fields, layout)
        let fidelityType =
            layout.signs(.fidelityType)
            ? try fields.required(.fidelityType, fields.integer(.fidelityType, as: FidelityType.self)) : nil
        let didWin = layout.signs(.didWin) ? try fields.required(.didWin, fields.boolean(.didWin)) : true
        let sequenceIndex =
            layout.signs(.postbackSequenceIndex)
            ? try fields.required(
                .postbackSequenceIndex, fields.integer(.postbackSequenceIndex, as: PostbackSequenceIndex.self))
            : .first
        let reported = try ReportedConversionValue.read(
            fields, didWin: didWin, sequenceIndex: sequenceIndex, knowsFine: version >= .v2_0,
            knowsCoarse: version >= .v4_0)
        let others = Self.fieldsOfOtherVersions[version] ?? []
        let isRelayNormalised =
            reported.wasLowered || source.hasFilledInApp || fields.present.contains { others.contains($0) }
        self.init(
            adNetworkID: adNetworkID, campaign: campaign, advertisedAppID: advertisedAppID,
            transactionID: transactionID, source: source.value, didWin: didWin, sequenceIndex: sequenceIndex,
            conversionValue: reported.value, countryCode: try? fields.text(.countryCode, as: CountryCode.self),
            details: .skAdNetwork(
                PostbackDetails.SKAdNetwork(
                    version: version, redownload: redownload, fidelityType: fidelityType,
                    signature: try fields.required(.attributionSignature, fields.signature(.attributionSignature)),
                    layout: layout)),
            isRelayNormalised: isRelayNormalised, body: body)
    }

    /// For each version the fields that only others sign, so that in its postbacks a relay must have put them there; but
    /// for `version`, which postbacks of 1.0 are known to carry.
    private static let fieldsOfOtherVersions: [SKAdNetworkVersion: [WireField]] = {
        let all = Set(SignedLayout.postbacks.values.flatMap(\.fields)).subtracting([.version])
        return SignedLayout.postbacks.mapValues { layout in all.filter { !layout.signs($0) } }
    }()

    /// The app or domain that showed the ad.
    ///
    /// Apple sends one of them or none. A domain with an app id of 0 beside it is a domain: relays fill absent fields
    /// with 0.
    private static func source(
        _ fields: WireFields<WireField>, _ layout: SignedLayout
    ) throws(FieldError) -> (value: AttributionSource?, hasFilledInApp: Bool) {
        let app = layout.signs(.sourceAppID) ? try fields.integer(.sourceAppID, as: AppID.self) : nil
        let domain = layout.signs(.sourceDomain) ? try fields.text(.sourceDomain, as: SourceDomain.self) : nil
        switch (app, domain) {
        case (nil, nil): return (nil, false)
        case (let app?, nil): return (.app(app), false)
        case (nil, let domain?): return (.domain(domain), false)
        case (AppID.development?, let domain?): return (.domain(domain), true)
        case (_?, _?): throw FieldError(WireField.sourceDomain, "must not stand beside source-app-id")
        }
    }

    /// The postback without its source app id of 0, which a relay may have put where Apple sent none; nil where there
    /// is no such id.
    var withoutFilledInSource: Postback? {
        guard case .skAdNetwork = details, source?.appID == .development else { return nil }
        return Postback(
            adNetworkID: adNetworkID, campaign: campaign, advertisedAppID: advertisedAppID,
            transactionID: transactionID, source: nil, didWin: didWin, sequenceIndex: sequenceIndex,
            conversionValue: conversionValue, countryCode: countryCode, details: details, isRelayNormalised: true,
            body: body)
    }
}
