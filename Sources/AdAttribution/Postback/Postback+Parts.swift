extension Postback {
    /// What a postback is made of: the values of its fields in the order of its layout, and what the code asks of them.
    struct Parts: Sendable {
        let layout: PostbackLayout
        var values: [FieldValue?]
        var adNetworkID: AdNetworkID
        var campaign: Campaign
        var advertisedAppID: AppID
        var transactionID: TransactionID
        var source: AttributionSource?
        var didWin: Bool
        var sequenceIndex: PostbackSequenceIndex
        var conversionValue = ReportedConversionValue.none
        var isRelayNormalised = false
        var signature: [UInt8] = []
        var jws: CompactJWS?
        var body: [UInt8] = []

        /// The parts that the values of the fields decide.
        ///
        /// - Throws: `FieldError` if a field without which nothing can be counted is absent. The row of a version has
        ///   these fields as required ones.
        init(_ layout: PostbackLayout, _ values: [FieldValue?]) throws(FieldError) {
            func value(_ slot: Int?) -> FieldValue? { slot.flatMap { values[$0] } }
            let slots = layout.slots
            guard let adNetworkID = value(slots.adNetworkID)?.text.flatMap({ AdNetworkID($0) }) else {
                throw Self.missing(.adNetworkID, layout)
            }
            let campaign: Campaign? =
                switch value(slots.campaign) {
                case .integer(let integer)?: CampaignID(integer).map { .campaignID($0) }
                case .text(let text)?: SourceIdentifier(text).map { .sourceIdentifier($0) }
                default: nil
                }
            guard let campaign else { throw Self.missing(.campaign, layout) }
            guard let advertisedAppID = value(slots.advertisedAppID)?.integer.flatMap({ AppID($0) }) else {
                throw Self.missing(.advertisedAppID, layout)
            }
            guard case .uuid(let uuid, let text)? = value(slots.transactionID) else {
                throw Self.missing(.transactionID, layout)
            }
            self.layout = layout
            self.values = values
            self.adNetworkID = adNetworkID
            self.campaign = campaign
            self.advertisedAppID = advertisedAppID
            transactionID = TransactionID(uuid, text: text)
            source =
                value(slots.sourceAppID)?.integer.flatMap { AppID($0) }.map { .app($0) }
                ?? value(slots.sourceDomain)?.text.flatMap { SourceDomain($0) }.map { .domain($0) }
            didWin = value(slots.didWin)?.boolean ?? true
            sequenceIndex = value(slots.sequenceIndex)?.integer.flatMap { PostbackSequenceIndex($0) } ?? .first
        }

        private static func missing(_ column: PostbackField.Column, _ layout: PostbackLayout) -> FieldError {
            FieldError(field: layout.fields.first { $0.column == column }?.name ?? "version", rule: "is missing")
        }

        /// Leaves out a source app id of 0.
        mutating func removeFilledInSource() {
            guard let slot = layout.slots.sourceAppID else { return }
            values[slot] = nil
            source = nil
            isRelayNormalised = true
        }
    }

    /// The postback without its source app id of 0, which a relay may have added; nil if there is no such id.
    var withoutFilledInSource: Postback? {
        guard keyID == nil, source?.appID == .development else { return nil }
        var parts = parts
        parts.removeFilledInSource()
        return Postback(parts)
    }

    /// The network in postbacks that were made in the developer settings of a device.
    static let developerSettingsNetwork = "development.adattributionkit"

    /// Whether the postback says that it was made in the developer settings of a device: under Apple's key for these
    /// and the network name that goes with it.
    public var isFromDeveloperSettings: Bool {
        keyID == AppleKey.developerSettings.rawValue && adNetworkID.lowercased == Self.developerSettingsNetwork
    }
}
