/// An install-validation postback of SKAdNetwork, typed but not verified.
///
/// Only what its version signs has a place here, and beside it the unsigned conversion value and country code; every
/// other key stays in `body`. A field that the version does not know has its neutral value: `didWin` is true, the
/// sequence index is the first.
/// Source: Apple, "Identifying the parameters in install-validation postbacks".
public struct Postback: Sendable {
    /// The version of SKAdNetwork that made the postback.
    public let version: SKAdNetworkVersion
    /// The network, byte for byte as signed.
    public let adNetworkID: AdNetworkID
    /// The campaign id or source identifier.
    public let campaign: Campaign
    /// `app-id`: the advertised app.
    public let advertisedAppID: AppID
    /// The identifier that deliveries of the same validation share.
    public let transactionID: TransactionID
    /// Whether this Apple Account had the app before; nil in 1.0.
    public let redownload: Bool?
    /// The app or domain that showed the ad; absent below a privacy threshold.
    public let source: AttributionSource?
    /// How the ad was presented; nil before 2.2.
    public let fidelityType: FidelityType?
    /// Whether this network won the attribution; true before 3.0.
    public let didWin: Bool
    /// The conversion window; the first before 4.0.
    public let sequenceIndex: PostbackSequenceIndex
    /// The conversion value, unsigned.
    public let conversionValue: ReportedConversionValue
    /// The country, unsigned; nil where absent or out of form.
    public let countryCode: CountryCode?
    /// Apple's signature as ASN.1 DER.
    public let signature: [UInt8]
    /// The body exactly as received.
    public let body: [UInt8]

    /// How this version signs: the row of the table.
    let layout: SignedLayout

    /// The bytes that the signature covers.
    public var signedMessage: SignedMessage { SignedMessage(layout, of: self) }

    /// The curve of the key that signed.
    public var curve: Curve { layout.curve }
}

extension Postback: SignedMessageSource {
    func appendSignedValue(of field: WireField, to message: inout SignedMessage) {
        switch field {
        case .version: message.append(version.description)
        case .adNetworkID: message.append(adNetworkID.text)
        case .campaignID, .sourceIdentifier: message.append(campaign.text)
        case .appID: message.append(advertisedAppID.value)
        case .transactionID: message.append(transactionID.text)
        case .redownload: redownload.map { message.append($0) }
        case .sourceAppID: (source?.appID?.value).map { message.append($0) }
        case .sourceDomain: (source?.domain?.text).map { message.append($0) }
        case .fidelityType: (fidelityType?.rawValue).map { message.append($0) }
        case .didWin: message.append(didWin)
        case .postbackSequenceIndex: message.append(sequenceIndex.value)
        // Impressions' fields, and those that no version of a postback signs.
        case .itunesItemID, .nonce, .timestamp, .conversionValue, .coarseConversionValue, .countryCode,
            .attributionSignature, .signature:
            break
        }
    }
}
