/// Verifies ECDSA signatures under one public key.
///
/// There are two: libcrypto (`EVPKey`) and fixed keys (`FixedKey`). A `VerificationKey` holds the one it uses.
public protocol SignatureBackend: Sendable {
    /// Checks signatures. The backend decides how it treats one and how it treats many.
    ///
    /// - Returns: for each signature, in the order given, whether it is the key's over its digest.
    func areValid(_ signatures: [SignedDigest]) -> [Bool]
}

/// A signature and the digest that it is checked against.
public struct SignedDigest: Sendable {
    /// The signature as ASN.1 DER.
    public let signature: [UInt8]
    /// The SHA-256 of the message: 32 bytes, or none if libcrypto failed.
    ///
    /// No signature is valid over none.
    public let digest: [UInt8]

    /// A signature over a message.
    public init(signature: [UInt8], message: [UInt8]) {
        self.init(signature: signature, digest: SHA256.digest(message))
    }

    init(signature: [UInt8], digest: [UInt8]) {
        self.signature = signature
        self.digest = digest
    }
}
