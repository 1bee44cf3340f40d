import StrictJSON

extension Postback {
    /// What a postback is made of: the tokens of its fields in the order of its layout, and what the code asks of them.
    final class Content: Sendable {
        let layout: PostbackLayout
        /// The token of each slot, nil if the field is absent.
        ///
        /// Those of signed fields are ranges of the JWS's payload, or of
        /// the body if there is no JWS.
        let tokens: [JSONToken?]
        let adNetworkID: AdNetworkID
        let campaign: Campaign
        let advertisedAppID: AppID
        let transactionID: TransactionID
        let source: AttributionSource?
        let didWin: Bool
        let sequenceIndex: PostbackSequenceIndex
        let conversionValue: ReportedConversionValue
        let isRelayNormalised: Bool
        let signature: [UInt8]
        let jws: CompactJWS?
        let body: [UInt8]

        /// Reads the fields of a layout.
        ///
        /// - Parameters:
        ///   - signed: The object with the signed fields.
        ///   - object: The object with the unsigned fields.
        ///   - jws: What the signed fields are part of; nil for SKAdNetwork.
        ///   - body: The body exactly as received.
        /// - Throws: `FieldError` with the first field that is wrong or missing. Fields without which nothing can be
        ///   counted are required ones in the row of each version.
        init(
            _ layout: PostbackLayout, reading signed: WireFields<Int>, around object: WireFields<Int>,
            jws: CompactJWS?, body: [UInt8]
        ) throws(FieldError) {
            let read = try Read(layout, signed, around: object)
            guard let adNetworkID = read.adNetworkID else { throw Self.missing(.adNetworkID, layout) }
            guard let campaign = read.campaign else { throw Self.missing(.campaign, layout) }
            guard let advertisedAppID = read.advertisedAppID else { throw Self.missing(.advertisedAppID, layout) }
            guard let transactionID = read.transactionID else { throw Self.missing(.transactionID, layout) }
            let didWin = read.didWin ?? true
            let sequenceIndex = read.sequenceIndex ?? .first
            let reported = try ReportedConversionValue.read(
                object, didWin: didWin, sequenceIndex: sequenceIndex, known: layout.values)
            var isRelayNormalised = read.hasFilledInApp || reported.wasLowered
            if let jws {
                signature = jws.signature
            } else {
                let isOfOthers = layout.isOfOthers
                for (number, _) in object.members where isOfOthers[number] { isRelayNormalised = true }
                signature = try object.required(.attributionSignature).signature()
            }
            self.layout = layout
            tokens = read.tokens
            self.adNetworkID = adNetworkID
            self.campaign = campaign
            self.advertisedAppID = advertisedAppID
            self.transactionID = transactionID
            source = read.sourceApp.map { .app($0) } ?? read.sourceDomain.map { .domain($0) }
            self.didWin = didWin
            self.sequenceIndex = sequenceIndex
            conversionValue = reported.value
            self.isRelayNormalised = isRelayNormalised
            self.jws = jws
            self.body = body
        }

        /// Another content with some parts changed.
        init(
            _ other: Content, tokens: [JSONToken?], source: AttributionSource?, didWin: Bool,
            sequenceIndex: PostbackSequenceIndex, conversionValue: ReportedConversionValue, isRelayNormalised: Bool
        ) {
            layout = other.layout
            self.tokens = tokens
            adNetworkID = other.adNetworkID
            campaign = other.campaign
            advertisedAppID = other.advertisedAppID
            transactionID = other.transactionID
            self.source = source
            self.didWin = didWin
            self.sequenceIndex = sequenceIndex
            self.conversionValue = conversionValue
            self.isRelayNormalised = isRelayNormalised
            signature = other.signature
            jws = other.jws
            body = other.body
        }

        /// The value in a slot; nil if the field is absent.
        func value(_ slot: Int) -> FieldValue? {
            guard let token = tokens[slot] else { return nil }
            let bytes = slot < layout.signedCount ? jws?.payload ?? body : body
            return bytes.withUnsafeBufferPointer { layout.fields[slot].value(token, in: $0) }
        }

        /// The bytes that the signature covers.
        var signedMessage: SignedMessage {
            jws?.signedMessage ?? SignedMessage(tokens[..<layout.signedCount], of: body)
        }

        private static func missing(_ column: PostbackField.Column, _ layout: PostbackLayout) -> FieldError {
            FieldError(field: layout.fields.first { $0.column == column }?.name ?? "version", rule: "is missing")
        }
    }

    /// The postback without its source app id of 0, which a relay may have added; nil if there is no such id.
    var withoutFilledInSource: Postback? {
        guard keyID == nil, source?.appID == .development, let slot = layout.sourceAppSlot else { return nil }
        var tokens = content.tokens
        tokens[slot] = nil
        return Postback(
            Content(
                content, tokens: tokens, source: nil, didWin: didWin, sequenceIndex: sequenceIndex,
                conversionValue: conversionValue, isRelayNormalised: true))
    }

    /// The network in postbacks that were made in the developer settings of a device.
    static let developerSettingsNetwork = "development.adattributionkit"

    /// Whether the postback says that it was made in the developer settings of a device.
    ///
    /// Then it names Apple's key for these, and the network name that goes with it.
    public var isFromDeveloperSettings: Bool {
        keyID == AppleKey.developerSettings.rawValue && adNetworkID.lowercased == Self.developerSettingsNetwork
    }
}
