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
            if let value = impression.values[field] { object.append(field.rawValue, value) }
        }
        object.append(ImpressionProof.signature.rawValue, base64: signature)
        return object.finished()
    }
}
