internal import COpenSSL
import Encodings

/// How a public key is read and written.
extension VerificationKey {
    /// Reads a public key: PEM (`BEGIN PUBLIC KEY`), or SubjectPublicKeyInfo DER in base64 as Apple prints its keys.
    public init(_ text: some StringProtocol) throws(KeyError) {
        let bytes = Array(text.utf8)
        guard !text.contains("-----BEGIN") else {
            let pointer = adattribution_read_public_key(bytes, Int32(clamping: bytes.count))
            // Only the label is read: an encrypted key would want its passphrase.
            if pointer == nil, text.contains(" PRIVATE KEY-----") {
                ERR_clear_error()
                throw .privateKey
            }
            self.init(key: try EVPKey(owning: pointer))
            try key.checkPublicHalf()
            return
        }
        let compact = bytes.filter { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
        guard let der = compact.withUnsafeBufferPointer({ Base64.decode($0) }) else { throw .unreadable }
        try self.init(subjectPublicKeyInfo: der)
    }

    /// Reads a public key from SubjectPublicKeyInfo DER.
    ///
    /// Bytes after it are refused.
    public init(subjectPublicKeyInfo der: [UInt8]) throws(KeyError) {
        var consumed = 0
        let pointer = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            let pointer = d2i_PUBKEY(nil, &cursor, buffer.count)
            if let start = buffer.baseAddress, let cursor { consumed = cursor - start }
            return pointer
        }
        self.init(key: try EVPKey(owning: pointer))
        guard consumed == der.count else { throw .unreadable }
        try key.checkPublicHalf()
    }

    /// Whether a text is a public key, on whatever curve.
    static func isPublic(_ text: [UInt8]) -> Bool {
        do throws(KeyError) {
            _ = try VerificationKey(String(decoding: text, as: UTF8.self))
            return true
        } catch {
            return error == .wrongCurve
        }
    }

    /// The key as SubjectPublicKeyInfo DER.
    public var subjectPublicKeyInfo: [UInt8] { key.publicKeyDER }

    /// The key as PEM, the form that is registered with Apple.
    public var pem: String { key.publicKeyPEM }
}
