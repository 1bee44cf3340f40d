extension Postback {
    /// Postback `number` of a simulation, not signed yet: a function of the configuration's seed and the number.
    ///
    /// What the version does not sign stays out; each draw is made all the same, so that the postbacks of two versions
    /// resemble each other.
    init?(
        simulating number: UInt32, conversionValue: ConversionValue?,
        in configuration: PostbackSimulator.Configuration, _ layout: SignedLayout
    ) {
        var random = SeededRandom(seed: configuration.seed, stream: UInt64(number))
        let adNetworkID = configuration.adNetworkIDs[random.below(configuration.adNetworkIDs.count)]
        let advertisedAppID = configuration.advertisedAppIDs[random.below(configuration.advertisedAppIDs.count)]
        let campaign = Self.campaign(number: random.below(configuration.campaigns) + 1, layout)
        let transactionID = TransactionID(Self.uuid(random.next(), random.next()))
        let redownload = random.chance(configuration.redownloadRate)
        let namesSource = random.chance(configuration.sourceAppRate)
        let sourceAppID = AppID(Self.firstSourceApp + Int64(random.below(Self.sourceApps)))
        let fidelityType: FidelityType = random.chance(0.5) ? .storeKitRendered : .viewThrough
        guard let campaign, let transactionID else { return nil }
        self.init(
            adNetworkID: adNetworkID,
            campaign: campaign,
            advertisedAppID: advertisedAppID,
            transactionID: transactionID,
            source: layout.signs(.sourceAppID) && namesSource ? sourceAppID.map(AttributionSource.app) : nil,
            didWin: true,
            sequenceIndex: .first,
            conversionValue: conversionValue.map { .fine($0) } ?? .none,
            countryCode: nil,
            details: .skAdNetwork(
                PostbackDetails.SKAdNetwork(
                    version: configuration.version,
                    redownload: layout.signs(.redownload) ? redownload : nil,
                    fidelityType: layout.signs(.fidelityType) ? fidelityType : nil,
                    signature: [],
                    layout: layout)),
            isRelayNormalised: false,
            body: [])
    }

    /// The body that a device would send: the fields in the order of Apple's examples.
    func simulatedBody(signature: [UInt8]) -> [UInt8] {
        var body = [UInt8(ascii: "{")]
        for field in Self.orderOfExamples {
            guard let value = jsonValue(of: field, signature: signature) else { continue }
            if body.count > 1 { body.append(UInt8(ascii: ",")) }
            JSONText.append(field.rawValue, to: &body)
            body.append(UInt8(ascii: ":"))
            body.append(contentsOf: value.utf8)
        }
        body.append(UInt8(ascii: "}"))
        return body
    }

    private static let orderOfExamples: [WireField] = [
        .version, .adNetworkID, .campaignID, .sourceIdentifier, .transactionID, .appID, .attributionSignature,
        .redownload, .sourceAppID, .sourceDomain, .fidelityType, .didWin, .postbackSequenceIndex, .conversionValue,
        .coarseConversionValue, .countryCode,
    ]

    private func jsonValue(of field: WireField, signature: [UInt8]) -> String? {
        guard case .skAdNetwork(let details) = details else { return nil }
        let layout = details.layout
        return switch field {
        case .version: JSONText.quoted(details.version.description)
        case .adNetworkID: JSONText.quoted(adNetworkID.text)
        case .campaignID: layout.signs(field) ? campaign.text : nil
        case .sourceIdentifier: layout.signs(field) ? JSONText.quoted(campaign.text) : nil
        case .transactionID: JSONText.quoted(transactionID.text)
        case .appID: String(advertisedAppID.value)
        case .attributionSignature: JSONText.quoted(Base64.encode(signature))
        case .redownload: details.redownload.map { String($0) }
        case .sourceAppID: (source?.appID?.value).map { String($0) }
        case .sourceDomain: (source?.domain?.text).map(JSONText.quoted)
        case .fidelityType: (details.fidelityType?.rawValue).map { String($0) }
        case .didWin: layout.signs(field) ? String(didWin) : nil
        case .postbackSequenceIndex: layout.signs(field) ? String(sequenceIndex.value) : nil
        case .conversionValue: (conversionValue.fine?.value).map { String($0) }
        case .coarseConversionValue: (conversionValue.coarse?.rawValue).map(JSONText.quoted)
        case .countryCode: (countryCode?.text).map(JSONText.quoted)
        case .itunesItemID, .nonce, .timestamp, .signature, .jwsString, .adInteractionType, .eligibleForReengagement:
            nil
        }
    }

    /// Campaign 1…100 under the version's kind of name; source identifiers have four digits.
    private static func campaign(number: Int, _ layout: SignedLayout) -> Campaign? {
        layout.signs(.sourceIdentifier)
            ? SourceIdentifier(Int64(1_000 + number)).map(Campaign.sourceIdentifier)
            : CampaignID(Int64(number)).map(Campaign.campaignID)
    }

    /// A random UUID (version 4) out of 128 random bits, in lower case.
    private static func uuid(_ high: UInt64, _ low: UInt64) -> String {
        let halves: [UInt64] = [high & ~0xF000 | 0x4000, low & ~(0b11 << 62) | 0b10 << 62]
        var bytes: [UInt8] = []
        for half in halves {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: half >> shift)) }
        }
        var digits = Hexadecimal.text(bytes)
        for offset in [20, 16, 12, 8] {
            digits.insert("-", at: digits.index(digits.startIndex, offsetBy: offset))
        }
        return digits
    }

    /// Made up, and none of them 0, which would make a postback count as development.
    private static let firstSourceApp: Int64 = 1_500_000_001
    private static let sourceApps = 20
}
