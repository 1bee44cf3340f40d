/// A postback of either framework, typed but not verified.
///
/// Only what the signature covers has a place here, and beside it the few unsigned fields that count: the conversion
/// value, the country code and AdAttributionKit's interaction type. Every other key stays in `body`. A field that the
/// version does not know has its neutral value: `didWin` is true, the sequence index is the first.
/// Sources: Apple, "Identifying the parameters in install-validation postbacks"; AdAttributionKit, "Identifying the
/// parameters in a postback".
public struct Postback: Sendable {
    /// The network, byte for byte as signed.
    public let adNetworkID: AdNetworkID
    /// The campaign id or source identifier.
    public let campaign: Campaign
    /// `app-id` or `advertised-item-identifier`: the advertised app.
    public let advertisedAppID: AppID
    /// `transaction-id` or `postback-identifier`: what deliveries of the same validation share.
    public let transactionID: TransactionID
    /// The app or domain that showed the ad; absent below a privacy threshold.
    public let source: AttributionSource?
    /// Whether this network won the attribution; true before SKAdNetwork 3.0.
    public let didWin: Bool
    /// The conversion window; the first before SKAdNetwork 4.0.
    public let sequenceIndex: PostbackSequenceIndex
    /// The conversion value, unsigned.
    public let conversionValue: ReportedConversionValue
    /// The country, unsigned; nil where absent or out of form.
    public let countryCode: CountryCode?
    /// What only one of the two frameworks has, its signature included.
    public let details: PostbackDetails
    /// Whether a relay's change was undone: a field that the version does not sign, a coarse value in capitals, or a
    /// source app id of 0 that was never signed.
    public let isRelayNormalised: Bool
    /// The body exactly as received.
    public let body: [UInt8]

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

extension Postback: SignedMessageSource {
    func appendSignedValue(of field: WireField, to message: inout SignedMessage) {
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
