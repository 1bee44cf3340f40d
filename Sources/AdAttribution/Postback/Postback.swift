/// A postback of either protocol, with typed values, not verified.
///
/// It has the fields of its version's row in the table: the signed fields, and the few unsigned fields that count. All
/// other keys are only in `body`. A field that the version does not have has a neutral value: `didWin` is true, the
/// sequence index is the first one. Sources: Apple, "Identifying the parameters in install-validation postbacks";
/// AdAttributionKit, "Identifying the parameters in a postback".
public struct Postback: Sendable {
    /// All values, behind one reference, because a postback is passed on many times and never changed.
    let content: Content

    init(_ content: Content) {
        self.content = content
    }

    /// The network, byte for byte as signed.
    public var adNetworkID: AdNetworkID { content.adNetworkID }
    /// The campaign id or source identifier.
    public var campaign: Campaign { content.campaign }
    /// `app-id` or `advertised-item-identifier`: the advertised app.
    public var advertisedAppID: AppID { content.advertisedAppID }
    /// `transaction-id` or `postback-identifier`.
    ///
    /// All deliveries of a postback have the same one.
    public var transactionID: TransactionID { content.transactionID }
    /// The source app or source domain; absent below a privacy threshold.
    public var source: AttributionSource? { content.source }
    /// Whether the postback is winning; true before SKAdNetwork 3.0.
    public var didWin: Bool { content.didWin }
    /// The conversion window; the first before SKAdNetwork 4.0.
    public var sequenceIndex: PostbackSequenceIndex { content.sequenceIndex }
    /// The conversion value, unsigned.
    public var conversionValue: ReportedConversionValue { content.conversionValue }
    /// Whether a relay's change was undone.
    ///
    /// It may be a field that the version does not sign, a coarse value in capitals, or a source app id of 0.
    public var isRelayNormalised: Bool { content.isRelayNormalised }
    /// The body exactly as received.
    public var body: [UInt8] { content.body }
    /// Apple's signature as ASN.1 DER.
    public var signature: [UInt8] { content.signature }

    /// The protocol.
    public var attributionProtocol: AttributionProtocol {
        layout.version == nil ? .adAttributionKit : .skAdNetwork
    }

    /// The version of SKAdNetwork; nil for AdAttributionKit, which has none.
    public var version: SKAdNetworkVersion? { layout.version }

    /// The curve of the key that signed.
    public var curve: Curve { layout.curve }

    /// `kid`: the name of the key that the JWS claims; nil for SKAdNetwork, which names none.
    public var keyID: String? { content.jws?.keyID }

    /// The bytes that the signature covers.
    public var signedMessage: SignedMessage {
        content.signedMessage
    }

    /// The postback's row in the table.
    package var layout: PostbackLayout { content.layout }

    /// The value of a field; nil if it is absent or not a field of the version.
    package func value(of field: PostbackField) -> FieldValue? {
        layout.fields.firstIndex(of: field).flatMap { content.value($0) }
    }
}

/// The facts that have few values each.
extension Postback {
    /// Whether this Apple Account had the app before; nil in 1.0 and in AdAttributionKit.
    public var redownload: Bool? { value(of: .redownload)?.boolean }

    /// How the ad was presented; nil before 2.2 and in AdAttributionKit.
    public var fidelityType: FidelityType? { value(of: .fidelityType)?.integer.flatMap { FidelityType($0) } }

    /// The conversion of a postback of AdAttributionKit.
    public var conversionType: ConversionType? { value(of: .conversionType)?.text.flatMap { ConversionType($0) } }

    /// Whether the ad was seen or tapped, unsigned; AdAttributionKit only.
    public var adInteractionType: AdInteractionType? {
        value(of: .adInteractionType)?.text.flatMap { AdInteractionType($0) }
    }

    /// The marketplace that the app came from; AdAttributionKit only, and nil at the lowest privacy tier.
    public var marketplaceIdentifier: MarketplaceIdentifier? {
        value(of: .marketplaceIdentifier)?.text.flatMap { MarketplaceIdentifier($0) }
    }

    /// The country, unsigned; nil if it is absent or not two capital letters.
    public var countryCode: CountryCode? { value(of: .countryCode)?.text.flatMap { CountryCode($0) } }

    /// The values of columns of the table `traits`, in the order of the columns.
    package func traits(_ columns: [TraitColumn]) -> [FieldValue?] {
        if layout.traits.columns == columns {
            return layout.traits.slots.map { slot in slot.flatMap { content.value($0) } }
        }
        return columns.map { column in
            layout.fields.firstIndex { $0.column == .trait(column.name) }.flatMap { content.value($0) }
        }
    }
}
