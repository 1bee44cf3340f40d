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

extension Postback.Content {
    /// The values that the code asks for, as far as they were read.
    struct Read {
        /// The token of each slot; nil if the field is absent.
        private(set) var tokens: [JSONToken?] = []
        var adNetworkID: AdNetworkID?
        var campaign: Campaign?
        var advertisedAppID: AppID?
        var transactionID: TransactionID?
        var sourceApp: AppID?
        var sourceDomain: SourceDomain?
        var didWin: Bool?
        var sequenceIndex: PostbackSequenceIndex?
        /// Whether a source app id of 0 was left out.
        var hasFilledInApp = false

        /// Reads the fields of a layout.
        init(
            _ layout: PostbackLayout, _ signed: WireFields<Int>, around object: WireFields<Int>
        ) throws(FieldError) {
            tokens.reserveCapacity(layout.fields.count)
            for reading in layout.readings {
                let slot = tokens.count
                let token = reading.isSigned ? signed[reading.number] : object[reading.number]
                tokens.append(token)
                let bytes = reading.isSigned ? signed.bytes : object.bytes
                if let token, !take(token, of: reading.column, in: bytes, layout.fields, slot) {
                    guard layout.fields[slot].isLenient else { throw layout.fields[slot].refusal(of: token, in: bytes) }
                    tokens[slot] = nil
                }
                guard let place = reading.endOf else { continue }
                guard reading.isSecond || (reading.isRequired && tokens[slot] == nil) else { continue }
                if reading.column == .sourceDomain, sourceDomain != nil, sourceApp == .development {
                    // A domain with an app id of 0 beside it is a domain: relays fill absent fields with 0.
                    tokens[slot - 1] = nil
                    sourceApp = nil
                    hasFilledInApp = true
                }
                try layout.places[place].check { tokens[slot - ($0 == layout.fields[slot] ? 0 : 1)] != nil }
            }
        }

        /// Takes a field in.
        ///
        /// Its column decides what becomes of its value.
        ///
        /// - Returns: false if the value breaks the field's rule.
        private mutating func take(
            _ token: JSONToken, of column: PostbackLayout.Column, in bytes: UnsafeBufferPointer<UInt8>,
            _ fields: [PostbackField], _ slot: Int
        ) -> Bool {
            switch (column, token) {
            // It was read before, since it decides the layout.
            case (.version, _): return true
            case (.adNetworkID, .string(let range)):
                adNetworkID = AdNetworkID(JSONToken.text(bytes, range))
                return adNetworkID != nil
            case (.campaignID, .integer(let integer)):
                campaign = CampaignID(integer).map { .campaignID($0) }
                return campaign != nil
            case (.sourceIdentifier, .string(let range)):
                campaign = SourceIdentifier(JSONToken.text(bytes, range)).map { .sourceIdentifier($0) }
                return campaign != nil
            case (.advertisedAppID, .integer(let integer)):
                advertisedAppID = AppID(integer)
                return advertisedAppID != nil
            case (.transactionID, .string(let range)):
                transactionID = TransactionID(JSONToken.text(bytes, range))
                return transactionID != nil
            case (.sourceAppID, .integer(let integer)):
                sourceApp = AppID(integer)
                return sourceApp != nil
            case (.sourceDomain, .string(let range)):
                sourceDomain = SourceDomain(JSONToken.text(bytes, range))
                return sourceDomain != nil
            case (.didWin, .boolean(let flag)):
                didWin = flag
                return true
            case (.sequenceIndex, .integer(let integer)):
                sequenceIndex = PostbackSequenceIndex(integer)
                return sequenceIndex != nil
            case (.other, _): return fields[slot].accepts(token, in: bytes)
            default: return false
            }
        }
    }
}

extension PostbackField {
    /// Why a token is not a value of the field.
    func refusal(of token: JSONToken, in bytes: UnsafeBufferPointer<UInt8>) -> FieldError {
        FieldError(field: name, rule: "must be \(kind.jsonRule)", value: token.excerpt(bytes))
    }
}
