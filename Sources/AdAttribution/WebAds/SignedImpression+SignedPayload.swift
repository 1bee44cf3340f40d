import StrictJSON

extension SignedImpression {
    /// The answer to a `SignedPayloadRequest`, as one line of JSON; nil where this is no web ad.
    ///
    /// Identifiers and timestamp are integers, the rest strings. The fidelity type is signed and yet not there.
    /// Source: Apple, "Generating a signature for attributable web ads".
    package var signedPayloadJSON: [UInt8]? {
        guard let domain = impression.source?.domain else { return nil }
        typealias Field = SignedPayloadField
        var object = JSONObjectText()
        object.append(Field.version.rawValue, impression.version.description)
        object.append(Field.adNetworkID.rawValue, impression.adNetworkID.text)
        // An integer here, and its text is in plain decimal.
        object.append(Field.sourceIdentifier.rawValue, json: impression.campaign.text.utf8)
        object.append(Field.itunesItemID.rawValue, impression.itunesItemID.value)
        object.append(Field.nonce.rawValue, impression.nonce.text)
        object.append(Field.sourceDomain.rawValue, domain.text)
        object.append(Field.timestamp.rawValue, impression.timestamp.milliseconds)
        object.append(Field.signature.rawValue, base64: signature)
        return object.finished()
    }
}
