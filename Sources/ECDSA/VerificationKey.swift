/// A public key that verifies ECDSA over SHA-256.
///
/// It is parsed once and can be used on many threads.
public struct VerificationKey: Sendable {
    let key: EVPKey
    private let backend: any SignatureBackend

    init(key: EVPKey) {
        self.init(key: key, backend: key)
    }

    /// The key with a backend that was not checked.
    init(key: EVPKey, backend: any SignatureBackend) {
        self.key = key
        self.backend = backend
    }

    /// The same key with another backend than libcrypto.
    ///
    /// The backend is checked first: it must give libcrypto's verdicts on good and on corrupted signatures, one by one
    /// and in batches.
    /// - Parameter backend: makes the backend for this key.
    /// - Returns: nil if there is no such backend for the key, or if it fails the check.
    public func verifying(
        with backend: (VerificationKey) -> (any SignatureBackend)?
    ) -> VerificationKey? {
        guard let backend = backend(self), BackendCheck.passes(backend, under: key) else { return nil }
        return VerificationKey(key: key, backend: backend)
    }

    /// The curve of the key.
    public var curve: Curve { key.curve }

    /// Whether `signature` (ASN.1 DER) is this key's over the SHA-256 of `message`.
    ///
    /// DER is read strictly: trailing bytes and integers that are not minimal make it false.
    public func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        areValid([SignedDigest(signature: signature, message: message)]) == [true]
    }

    /// Whether each of these signatures is this key's over its digest; many together may take less time.
    package func areValid(_ signatures: [SignedDigest]) -> [Bool] {
        backend.areValid(signatures)
    }
}

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
