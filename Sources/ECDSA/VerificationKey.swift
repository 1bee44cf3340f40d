internal import COpenSSL
import Encodings

/// A public key that verifies ECDSA over SHA-256; parsed once, used from many threads.
public struct VerificationKey: Sendable {
    let key: EVPKey
    private var prepared: PreparedKey?

    init(key: EVPKey) {
        self.key = key
    }

    /// The same key with its multiples computed, under which verifying is many times as fast.
    ///
    /// Takes milliseconds and about half a megabyte: for keys that verify again and again.
    /// - Returns: nil where the fast verifier does not agree with libcrypto about a few signatures; then the key as it is
    ///   must do.
    public func preparedForVerifying() -> VerificationKey? {
        guard let prepared = PreparedKey(key) else { return nil }
        var copy = self
        copy.prepared = prepared
        return copy
    }

    /// Reads a public key: PEM (`BEGIN PUBLIC KEY`), or SubjectPublicKeyInfo DER in base64 as Apple prints its keys.
    public init(_ text: some StringProtocol) throws(KeyError) {
        let bytes = Array(text.utf8)
        guard !text.contains("-----BEGIN") else {
            self.init(key: try EVPKey(owning: adattribution_read_public_key(bytes, Int32(clamping: bytes.count))))
            try key.checkPublicHalf()
            return
        }
        let compact = bytes.filter { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
        guard let der = compact.withUnsafeBufferPointer({ Base64.decode($0) }) else { throw .unreadable }
        try self.init(subjectPublicKeyInfo: der)
    }

    /// Reads a public key out of SubjectPublicKeyInfo DER; bytes behind it are refused.
    public init(subjectPublicKeyInfo der: [UInt8]) throws(KeyError) {
        var consumed = 0
        let pointer = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            let pointer = d2i_PUBKEY(nil, &cursor, buffer.count)
            if let start = buffer.baseAddress, let cursor { consumed = cursor - start }
            return pointer
        }
        key = try EVPKey(owning: pointer)
        guard consumed == der.count else { throw .unreadable }
        try key.checkPublicHalf()
    }

    /// The curve of the key.
    public var curve: Curve { key.curve }

    /// The key as SubjectPublicKeyInfo DER.
    public var subjectPublicKeyInfo: [UInt8] { key.publicKeyDER }

    /// The key as PEM, the form that is registered with Apple.
    public var pem: String { key.publicKeyPEM }

    /// Whether `signature` (ASN.1 DER) is this key's over the SHA-256 of `message`.
    ///
    /// DER is read strictly: trailing bytes and integers that are not minimal make it false.
    public func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        isValid(signature: signature, digest: SHA256.digest(message))
    }

    /// What `isValid` says of each of many signatures and messages, which takes less time together where the key is
    /// prepared.
    package func areValid(messages signatures: [(signature: [UInt8], message: [UInt8])]) -> [Bool] {
        areValid(signatures.map { (signature: $0.signature, digest: SHA256.digest($0.message)) })
    }

    /// What `isValid` says of each of many signatures, which takes less time together where the key is prepared.
    package func areValid(_ signatures: [(signature: [UInt8], digest: [UInt8])]) -> [Bool] {
        guard let prepared, signatures.allSatisfy({ $0.digest.count == 32 }) else {
            return signatures.map { isValid(signature: $0.signature, digest: $0.digest) }
        }
        return prepared.areValid(signatures)
    }

    /// Whether `signature` (ASN.1 DER) is this key's over a digest of 32 bytes.
    package func isValid(signature: [UInt8], digest: [UInt8]) -> Bool {
        guard digest.count == 32 else { return false }
        if let prepared { return prepared.isValid(signature: signature, digest: digest) }
        return key.isValid(signature: signature, digest: digest)
    }
}
