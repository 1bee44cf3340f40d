import AdAttribution
import Encodings
import StrictJSON

extension SimulatedPostback {
    /// A member of a body: its name, and its value as JSON.
    typealias Member = (name: String, json: String)

    /// The members of the body that a device would send, signed.
    func members(_ value: ReportedConversionValue, _ signers: SimulationSigners) throws(KeyError) -> [Member] {
        switch traits.kind {
        case .skAdNetwork(let version):
            guard let layout = SignedLayout.postbacks[version] else { return [] }
            let postback = postback(version, layout, value)
            let signature = try signers.signature(of: postback.signedMessage.bytes, on: layout.curve)
            return WireField.orderOfExamples.compactMap { field in
                json(of: field, of: postback, layout, signature).map { (field.rawValue, $0) }
            }
        case .adAttributionKit:
            let jws = try CompactJWS.sign(payload, keyID: signers.name) { (text) throws(KeyError) in
                try signers.signature(of: text, on: .p256)
            }
            var members: [Member] = [
                (WireField.jwsString.rawValue, JSONText.quoted(jws)),
                (WireField.adInteractionType.rawValue, JSONText.quoted(adInteractionType.rawValue)),
            ]
            members += Self.unsigned(value, countryCode)
            return members
        }
    }

    /// What no version signs.
    private static func unsigned(_ value: ReportedConversionValue, _ countryCode: CountryCode?) -> [Member] {
        var members: [Member] = []
        if let fine = value.fine { members.append((WireField.conversionValue.rawValue, String(fine.value))) }
        if let coarse = value.coarse {
            members.append((WireField.coarseConversionValue.rawValue, JSONText.quoted(coarse.rawValue)))
        }
        if let countryCode { members.append((WireField.countryCode.rawValue, JSONText.quoted(countryCode.text))) }
        return members
    }

    private func postback(
        _ version: SKAdNetworkVersion, _ layout: SignedLayout, _ value: ReportedConversionValue
    ) -> Postback {
        Postback(
            adNetworkID: adNetworkID,
            campaign: campaign,
            advertisedAppID: advertisedAppID,
            transactionID: transactionID,
            source: layout.signs(.sourceAppID) ? source : nil,
            didWin: traits.didWin,
            sequenceIndex: PostbackSequenceIndex(Int64(traits.window)) ?? .first,
            conversionValue: value,
            countryCode: countryCode,
            details: .skAdNetwork(
                PostbackDetails.SKAdNetwork(
                    version: version,
                    redownload: layout.signs(.redownload) ? redownload : nil,
                    fidelityType: layout.signs(.fidelityType) ? fidelityType : nil,
                    signature: [],
                    layout: layout)),
            isRelayNormalised: false,
            body: [])
    }

    private func json(
        of field: WireField, of postback: Postback, _ layout: SignedLayout, _ signature: [UInt8]
    ) -> String? {
        switch field {
        case .attributionSignature: return JSONText.quoted(Base64.encode(signature))
        case .conversionValue: return (postback.conversionValue.fine?.value).map { String($0) }
        case .coarseConversionValue: return (postback.conversionValue.coarse?.rawValue).map(JSONText.quoted)
        case .countryCode: return (countryCode?.text).map(JSONText.quoted)
        // Signed from 2.0 on, and sent by some devices before.
        case .version where !layout.signs(.version): return namesVersion ? "\"1.0\"" : nil
        default:
            guard layout.signs(field) else { return nil }
            let text = String(decoding: SignedMessage(field, of: postback).bytes, as: UTF8.self)
            return text.isEmpty ? nil : (field.isText ? JSONText.quoted(text) : text)
        }
    }

    /// The payload of AdAttributionKit's JWS, in the order of Apple's example.
    private var payload: [UInt8] {
        typealias Field = AdAttributionKitField
        var object = JSONObjectText()
        object.append(Field.postbackIdentifier.rawValue, transactionID.text)
        source?.appID.map { object.append(Field.publisherItemIdentifier.rawValue, $0.value) }
        marketplaceIdentifier.map { object.append(Field.marketplaceIdentifier.rawValue, $0.text) }
        object.append(Field.impressionType.rawValue, ImpressionType.app.rawValue)
        object.append(Field.adNetworkIdentifier.rawValue, adNetworkID.text)
        object.append(Field.didWin.rawValue, traits.didWin)
        object.append(Field.postbackSequenceIndex.rawValue, traits.window)
        object.append(Field.conversionType.rawValue, traits.conversionType.rawValue)
        object.append(Field.sourceIdentifier.rawValue, campaign.text)
        object.append(Field.advertisedItemIdentifier.rawValue, advertisedAppID.value)
        return object.finished()
    }
}

extension WireField {
    /// The fields of a postback of SKAdNetwork in the order of Apple's examples.
    fileprivate static let orderOfExamples: [WireField] = [
        .version, .adNetworkID, .campaignID, .sourceIdentifier, .transactionID, .appID, .attributionSignature,
        .redownload, .sourceAppID, .sourceDomain, .fidelityType, .didWin, .postbackSequenceIndex, .conversionValue,
        .coarseConversionValue, .countryCode,
    ]

    /// Whether JSON carries the field of a postback as a string.
    fileprivate var isText: Bool {
        switch self {
        case .version, .adNetworkID, .sourceIdentifier, .transactionID, .sourceDomain: true
        default: false
        }
    }
}
