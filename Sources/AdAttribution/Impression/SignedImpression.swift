import StrictJSON

/// An impression and its signature.
///
/// `isValid(under:)` verifies the signature.
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

    /// An impression and a signature that were read.
    init(_ impression: Impression, signature: [UInt8]) {
        self.impression = impression
        self.signature = signature
    }

    /// Reads the JSON that `json` writes.
    ///
    /// Without a version it is an impression of 1.0.
    ///
    /// - Throws: `ImpressionError`.
    public init(json: [UInt8]) throws(ImpressionError) {
        (impression, signature) = try json.withUnsafeBufferPointer { (bytes) throws(ImpressionError) in
            let wire = try WireFields.impression(bytes)
            var parameters = try ImpressionParameters(wire, besides: .signature)
            // Every later version signs the version, so its JSON has it.
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

extension SignedImpression {
    /// The signed fields under Apple's wire names in signing order, and `signature`, as one line of JSON.
    ///
    /// Ids, timestamp and fidelity are integers; version, nonce, domains and signature are strings. 1.0 does not sign a
    /// version, so its JSON has none.
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
