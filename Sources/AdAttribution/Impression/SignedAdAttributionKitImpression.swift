import StrictJSON

/// An AdAttributionKit impression as a compact JWS.
///
/// `isValid(under:)` verifies its signature.
public struct SignedAdAttributionKitImpression: Sendable {
    /// The impression.
    public let impression: AdAttributionKitImpression
    /// The compact JWS, which an app gives to `AppImpression(compactJWS:)`.
    public let compactJWS: String

    let jws: CompactJWS

    /// Signs an impression with the network's private key; `kid` is the network.
    ///
    /// - Throws: `KeyError` where the key is not on P-256 or libcrypto refuses.
    public init(signing impression: AdAttributionKitImpression, with key: SigningKey) throws(KeyError) {
        let text = try CompactJWS.sign(
            impression.payload, keyID: impression.adNetworkIdentifier.text, with: key)
        guard let jws = try? CompactJWS(Array(text.utf8)) else { throw .unavailable }
        self.impression = impression
        self.compactJWS = text
        self.jws = jws
    }

    /// Reads the JSON that `jsonBytes` writes: a compact JWS under `jws-string`.
    init(_ wire: WireFields<ImpressionMember>) throws(FieldError) {
        let text = try wire.required(.jwsString).utf8()
        try self.init(compactJWS: String(decoding: text, as: UTF8.self))
    }

    /// Reads a compact JWS.
    ///
    /// - Throws: `FieldError` for the wrong part or field.
    public init(compactJWS text: String) throws(FieldError) {
        let jws = try CompactJWS(Array(text.utf8))
        impression = try jws.withPayload(AdAttributionKitImpression.names) { (payload) throws(FieldError) in
            try AdAttributionKitImpression(payload)
        }
        guard jws.keyID.utf8.elementsEqual(impression.adNetworkIdentifier.text.utf8) else {
            throw FieldError(JWSHeaderField.keyID, "must be the ad-network-identifier", value: jws.keyID)
        }
        compactJWS = text
        self.jws = jws
    }

    /// Whether the signature holds under the network's public key.
    public func isValid(under key: VerificationKey) -> Bool {
        key.curve == .p256 && key.isValid(signature: jws.signature, for: jws.signedMessage.bytes)
    }

    /// `{"jws-string":"…"}` under Apple's name for a compact JWS in JSON.
    package var jsonBytes: [UInt8] {
        var object = JSONObjectText()
        object.append(ImpressionProof.jwsString.rawValue, compactJWS)
        return object.finished()
    }
}
