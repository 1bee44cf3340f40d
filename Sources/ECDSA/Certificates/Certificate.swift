internal import COpenSSL

/// An X.509 certificate, parsed by libcrypto.
///
/// It is parsed once and can be used on many threads. Nothing here says whether it is to be trusted.
package final class Certificate: @unchecked Sendable {
    // Sendable: the pointer is never changed after init, and libcrypto guards what it computes later by a lock.
    let pointer: OpaquePointer
    /// The certificate as DER.
    package let der: [UInt8]
    /// From its first to its last second, since 1970.
    package let validity: ClosedRange<Int64>

    /// Reads a certificate in DER.
    ///
    /// Bytes after it, and an encoding that is not DER, are refused.
    package init(der: [UInt8]) throws(CertificateError) {
        var consumed = 0
        let pointer = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            let pointer = d2i_X509(nil, &cursor, buffer.count)
            if let start = buffer.baseAddress, let cursor { consumed = cursor - start }
            return pointer
        }
        defer { ERR_clear_error() }
        guard let pointer else { throw .malformed }
        var first: Int64 = 0
        var last: Int64 = 0
        guard consumed == der.count, Certificate.der(of: pointer) == der,
            adattribution_validity(pointer, &first, &last) == 1, first <= last
        else {
            X509_free(pointer)
            throw .malformed
        }
        self.pointer = pointer
        self.der = der
        validity = first...last
    }

    /// Reads a text that has one certificate in PEM.
    package convenience init(pem text: String) throws(CertificateError) {
        let bytes = Array(text.utf8)
        guard text.split(separator: "-----BEGIN ", omittingEmptySubsequences: false).count == 2,
            let pointer = adattribution_read_certificate(bytes, Int32(clamping: bytes.count))
        else {
            ERR_clear_error()
            throw .malformed
        }
        defer { X509_free(pointer) }
        try self.init(der: Certificate.der(of: pointer))
    }

    deinit {
        X509_free(pointer)
    }

    /// The key of the certificate.
    ///
    /// - Throws: `KeyError` if it is not on P-192 or P-256, or not a point of its curve.
    package func publicKey() throws(KeyError) -> VerificationKey {
        let key = try EVPKey(owning: X509_get_pubkey(pointer))
        try key.checkPublicHalf()
        return VerificationKey(key: key)
    }

    /// Whether the certificate has exactly one extension with this OID, such as `1.2.840.113635.100.6.2.1`.
    package func hasExtension(_ oid: String) -> Bool {
        guard let object = OBJ_txt2obj(oid, 1) else {
            ERR_clear_error()
            return false
        }
        defer { ASN1_OBJECT_free(object) }
        let place = X509_get_ext_by_OBJ(pointer, object, -1)
        return place >= 0 && X509_get_ext_by_OBJ(pointer, object, place) < 0
    }

    /// The SHA-256 of the DER.
    package var sha256: [UInt8] { SHA256.digest(der) }

    /// The DER of a certificate; empty if libcrypto can't tell it.
    static func der(of pointer: OpaquePointer) -> [UInt8] {
        var output: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509(pointer, &output)
        guard length > 0, let output else { return [] }
        defer { CRYPTO_free(output, nil, 0) }
        return Array(UnsafeBufferPointer(start: output, count: Int(length)))
    }
}
