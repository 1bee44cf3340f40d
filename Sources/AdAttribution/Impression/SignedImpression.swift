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

    /// Reads the JSON that `json` writes; without a version it is an impression of 1.0.
    ///
    /// - Throws: `ImpressionError`.
    public init(json: [UInt8]) throws(ImpressionError) {
        (impression, signature) = try json.withUnsafeBufferPointer { (bytes) throws(ImpressionError) in
            let wire = try WireFields.impression(bytes)
            var parameters = try ImpressionParameters(wire, besides: .signature)
            // Every later version signs its own name, and so carries it.
            parameters.version = parameters.version ?? .v1_0
            do throws(FieldError) {
                return (
                    try Impression(parameters), try wire.required(.signature).signature()
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
}
