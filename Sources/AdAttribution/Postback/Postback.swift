/// A postback of either framework, typed but not verified.
///
/// Only what the signature covers has a place here, and beside it the few unsigned fields that count: the conversion
/// value, the country code and AdAttributionKit's interaction type. Every other key stays in `body`. A field that the
/// version does not know has its neutral value: `didWin` is true, the sequence index is the first.
/// Sources: Apple, "Identifying the parameters in install-validation postbacks"; AdAttributionKit, "Identifying the
/// parameters in a postback".
public struct Postback: Sendable {
    /// Everything, behind one reference: a postback is handed on many times and never changed.
    private let content: Content

    /// The network, byte for byte as signed.
    public var adNetworkID: AdNetworkID { content.adNetworkID }
    /// The campaign id or source identifier.
    public var campaign: Campaign { content.campaign }
    /// `app-id` or `advertised-item-identifier`: the advertised app.
    public var advertisedAppID: AppID { content.advertisedAppID }
    /// `transaction-id` or `postback-identifier`: what deliveries of the same validation share.
    public var transactionID: TransactionID { content.transactionID }
    /// The app or domain that showed the ad; absent below a privacy threshold.
    public var source: AttributionSource? { content.source }
    /// Whether this network won the attribution; true before SKAdNetwork 3.0.
    public var didWin: Bool { content.didWin }
    /// The conversion window; the first before SKAdNetwork 4.0.
    public var sequenceIndex: PostbackSequenceIndex { content.sequenceIndex }
    /// The conversion value, unsigned.
    public var conversionValue: ReportedConversionValue { content.conversionValue }
    /// The country, unsigned; nil where absent or out of form.
    public var countryCode: CountryCode? { content.countryCode }
    /// What only one of the two frameworks has, its signature included.
    public var details: PostbackDetails { content.details }
    /// Whether a relay's change was undone: a field that the version does not sign, a coarse value in capitals, or a
    /// source app id of 0 that was never signed.
    public var isRelayNormalised: Bool { content.isRelayNormalised }
    /// The body exactly as received.
    public var body: [UInt8] { content.body }

    /// The framework that made the postback.
    public var attributionProtocol: AttributionProtocol {
        switch details {
        case .skAdNetwork: .skAdNetwork
        case .adAttributionKit: .adAttributionKit
        }
    }

    /// The version of SKAdNetwork, or nil for AdAttributionKit, which has none.
    public var version: SKAdNetworkVersion? { details.skAdNetwork?.version }

    /// The bytes that the signature covers.
    public var signedMessage: SignedMessage {
        switch details {
        case .skAdNetwork(let details): SignedMessage(details.layout, of: self)
        case .adAttributionKit(let details): details.jws.signedMessage
        }
    }

    /// Apple's signature as ASN.1 DER.
    public var signature: [UInt8] {
        switch details {
        case .skAdNetwork(let details): details.signature
        case .adAttributionKit(let details): details.jws.signature
        }
    }

    /// The curve of the key that signed.
    public var curve: Curve { details.skAdNetwork?.layout.curve ?? .p256 }
}

extension Postback {
    private final class Content: Sendable {
        let adNetworkID: AdNetworkID
        let campaign: Campaign
        let advertisedAppID: AppID
        let transactionID: TransactionID
        let source: AttributionSource?
        let didWin: Bool
        let sequenceIndex: PostbackSequenceIndex
        let conversionValue: ReportedConversionValue
        let countryCode: CountryCode?
        let details: PostbackDetails
        let isRelayNormalised: Bool
        let body: [UInt8]

        init(
            adNetworkID: AdNetworkID, campaign: Campaign, advertisedAppID: AppID, transactionID: TransactionID,
            source: AttributionSource?, didWin: Bool, sequenceIndex: PostbackSequenceIndex,
            conversionValue: ReportedConversionValue, countryCode: CountryCode?, details: PostbackDetails,
            isRelayNormalised: Bool, body: [UInt8]
        ) {
            self.adNetworkID = adNetworkID
            self.campaign = campaign
            self.advertisedAppID = advertisedAppID
            self.transactionID = transactionID
            self.source = source
            self.didWin = didWin
            self.sequenceIndex = sequenceIndex
            self.conversionValue = conversionValue
            self.countryCode = countryCode
            self.details = details
            self.isRelayNormalised = isRelayNormalised
            self.body = body
        }
    }

    /// A postback out of its parts.
    package init(
        adNetworkID: AdNetworkID, campaign: Campaign, advertisedAppID: AppID, transactionID: TransactionID,
        source: AttributionSource?, didWin: Bool, sequenceIndex: PostbackSequenceIndex,
        conversionValue: ReportedConversionValue, countryCode: CountryCode?, details: PostbackDetails,
        isRelayNormalised: Bool, body: [UInt8]
    ) {
        content = Content(
            adNetworkID: adNetworkID, campaign: campaign, advertisedAppID: advertisedAppID,
            transactionID: transactionID, source: source, didWin: didWin, sequenceIndex: sequenceIndex,
            conversionValue: conversionValue, countryCode: countryCode, details: details,
            isRelayNormalised: isRelayNormalised, body: body)
    }
}

extension Postback: SignedMessageSource {
    package func appendSignedValue(of field: WireField, to message: inout SignedMessage) {
        guard let details = details.skAdNetwork else { return }
        switch field {
        case .version: message.append(details.version.description)
        case .adNetworkID: message.append(adNetworkID.text)
        case .campaignID, .sourceIdentifier: message.append(campaign.text)
        case .appID: message.append(advertisedAppID.value)
        case .transactionID: message.append(transactionID.text)
        case .redownload: details.redownload.map { message.append($0) }
        case .sourceAppID: (source?.appID?.value).map { message.append($0) }
        case .sourceDomain: (source?.domain?.text).map { message.append($0) }
        case .fidelityType: (details.fidelityType?.rawValue).map { message.append($0) }
        case .didWin: message.append(didWin)
        case .postbackSequenceIndex: message.append(sequenceIndex.value)
        // Impressions' fields, and those that no version of a postback signs.
        case .itunesItemID, .nonce, .timestamp, .conversionValue, .coarseConversionValue, .countryCode,
            .attributionSignature, .signature, .jwsString, .adInteractionType, .eligibleForReengagement:
            break
        }
    }
}
