import StrictJSON

extension SignedImpression {
    /// The signed fields under Apple's wire names in signing order, and `signature`, as one line of JSON.
    ///
    /// Ids, timestamp and fidelity are integers; version, nonce, domains and signature strings. 1.0 signs no version
    /// and so carries none.
    public var json: String {
        String(decoding: jsonBytes, as: UTF8.self)
    }

    /// The bytes of `json`.
    package var jsonBytes: [UInt8] {
        var object = JSONObjectText()
        for field in impression.layout.fields {
            switch field {
            case .version: object.append(field.rawValue, impression.version.description)
            case .adNetworkID: object.append(field.rawValue, impression.adNetworkID.text)
            // Both are integers in an impression, and their text is in plain decimal.
            case .campaignID, .sourceIdentifier: object.append(field.rawValue, json: impression.campaign.text.utf8)
            case .itunesItemID: object.append(field.rawValue, impression.itunesItemID.value)
            case .nonce: object.append(field.rawValue, impression.nonce.text)
            case .sourceAppID: impression.source?.appID.map { object.append(field.rawValue, $0.value) }
            case .sourceDomain: impression.source?.domain.map { object.append(field.rawValue, $0.text) }
            case .fidelityType: impression.fidelityType.map { object.append(field.rawValue, $0.rawValue) }
            case .timestamp: object.append(field.rawValue, impression.timestamp.milliseconds)
            default: break
            }
        }
        object.append(WireField.signature.rawValue, base64: signature)
        return object.finished()
    }
}
