import StrictJSON

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
