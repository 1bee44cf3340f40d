/// An impression and a signature over it; whether the signature holds, `isValid(under:)` tells.
public struct SignedImpression: Sendable {
    /// The impression.
    public let impression: Impression
    /// The signature as ASN.1 DER.
    public let signature: [UInt8]

    /// Signs an impression with the network's private key.
    ///
    /// - Throws: `KeyError` where the key is not on P-256 or libcrypto refuses.
    public init(signing impression: Impression, with key: SigningKey) throws(KeyError) {
        guard key.curve == impression.layout.curve else { throw .wrongCurve }
        self.impression = impression
        signature = try key.signature(of: impression.signedMessage.bytes)
    }

    /// Reads the JSON that `json` writes.
    ///
    /// - Throws: `ImpressionError`.
    public init(json: [UInt8]) throws(ImpressionError) {
        (impression, signature) = try json.withUnsafeBufferPointer { (bytes) throws(ImpressionError) in
            let wire = try WireFields(impression: bytes)
            let parameters = try ImpressionParameters(wire, besides: [.signature])
            do throws(FieldError) {
                return (
                    try Impression(parameters), try wire.required(.signature, wire.signature(.signature))
                )
            } catch {
                throw .field(error)
            }
        }
    }

    /// Whether the signature holds under the network's public key.
    public func isValid(under key: VerificationKey) -> Bool {
        key.curve == impression.layout.curve
            && key.isValid(signature: signature, for: impression.signedMessage.bytes)
    }

    /// The signed fields under Apple's wire names in signing order, and `signature`, as one line of JSON.
    ///
    /// Ids, timestamp and fidelity are integers; version, nonce, domains and signature strings.
    public var json: String {
        var output: [UInt8] = []
        appendJSON(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends `json` to a buffer.
    package func appendJSON(to output: inout [UInt8]) {
        output.append(UInt8(ascii: "{"))
        for field in impression.layout.places.flatMap(\.candidates) {
            guard let value = impression.jsonValue(of: field) else { continue }
            JSONText.append(field.rawValue, to: &output)
            output.append(UInt8(ascii: ":"))
            output.append(contentsOf: value.utf8)
            output.append(UInt8(ascii: ","))
        }
        JSONText.append(WireField.signature.rawValue, to: &output)
        output.append(UInt8(ascii: ":"))
        JSONText.append(Base64.encode(signature), to: &output)
        output.append(UInt8(ascii: "}"))
    }
}

extension Impression {
    fileprivate func jsonValue(of field: WireField) -> String? {
        switch field {
        case .version: JSONText.quoted(version.description)
        case .adNetworkID: JSONText.quoted(adNetworkID.text)
        case .campaignID, .sourceIdentifier: campaign.text
        case .itunesItemID: String(itunesItemID.value)
        case .nonce: JSONText.quoted(nonce.text)
        case .sourceAppID: (source.appID?.value).map { String($0) }
        case .sourceDomain: (source.domain?.text).map(JSONText.quoted)
        case .fidelityType: (fidelityType?.rawValue).map { String($0) }
        case .timestamp: String(timestamp.milliseconds)
        default: nil
        }
    }
}
