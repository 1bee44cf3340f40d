internal import COpenSSL

/// A message of CMS (RFC 5652, before it PKCS #7) that has its content inside and one signer, as receipts have.
///
/// Reading checks the signature. Whose certificate it is that verifies it, only `chain` checks.
package struct CMSSignedData: Sendable {
    /// The greatest number of bytes of a message.
    package static let maximumSize = 4 << 20

    /// What was signed.
    package let content: [UInt8]
    /// The certificates of the message in their order, that of the signer among them.
    package let certificates: [Certificate]
    /// The certificate of the signer.
    package let signer: Certificate
    /// Whether the signature is the signer's over the content.
    package let isSignatureValid: Bool

    /// Reads a message.
    ///
    /// Lengths may be indefinite (BER), as Xcode writes them. Bytes after the message are refused.
    ///
    /// - Throws: `CertificateError` for anything else, and if the signer's certificate is not in the message.
    package init(der: [UInt8], maximumCertificates: Int = 16) throws(CertificateError) {
        defer { ERR_clear_error() }
        guard der.count <= Self.maximumSize, let message = adattribution_cms_read(der, der.count) else {
            throw .malformed
        }
        defer { CMS_ContentInfo_free(message) }
        var bytes: UnsafePointer<UInt8>?
        let length = adattribution_cms_content(message, &bytes)
        content = bytes.map { Array(UnsafeBufferPointer(start: $0, count: max(0, Int(length)))) } ?? []
        isSignatureValid = adattribution_cms_is_valid(message) == 1
        guard let signer = adattribution_cms_signer(message) else { throw .malformed }
        self.signer = try Certificate(der: Certificate.der(of: signer))
        let list = CMS_get1_certs(message)
        defer { adattribution_cms_free_list(list) }
        guard adattribution_cms_count(list) <= maximumCertificates else { throw .malformed }
        certificates = try Self.certificates(list)
    }

    /// Checks the signer's chain: it is a root itself, or leads through one certificate of the message to a root.
    ///
    /// Signatures with SHA-1 are allowed, since Apple's old receipts have no others.
    ///
    /// - Parameters:
    ///   - roots: The only certificates that are trusted.
    ///   - seconds: When each certificate must be valid, in seconds since 1970.
    /// - Returns: The chain from the signer to the root.
    package func chain(to roots: [Certificate], at seconds: Int64) throws(CertificateError) -> [Certificate] {
        defer { ERR_clear_error() }
        let untrusted = try Self.list([signer] + certificates)
        defer { adattribution_cms_free_list(untrusted) }
        let trusted = try Self.list(roots)
        defer { adattribution_cms_free_list(trusted) }
        var chain: OpaquePointer?
        let result = adattribution_cms_chain(untrusted, trusted, seconds, &chain)
        defer { adattribution_cms_free_list(chain) }
        guard result != X509_V_ERR_CERT_NOT_YET_VALID, result != X509_V_ERR_CERT_HAS_EXPIRED else {
            throw .notValidAt(seconds)
        }
        guard result == X509_V_OK else {
            let text = X509_verify_cert_error_string(Int(result)).map { String(cString: $0) }
            throw .untrusted(reason: text ?? "error \(result)")
        }
        return try Self.certificates(chain)
    }

    /// Signs content as Apple signs receipts: it is inside, and there are no signed attributes.
    ///
    /// For tests.
    ///
    /// - Parameters:
    ///   - key: The key of `certificate`, on P-256; the digest is SHA-256.
    ///   - otherCertificates: What a verifier needs beside the signer's.
    /// - Returns: The message in DER.
    package static func sign(
        content: [UInt8], certificate: Certificate, key: SigningKey, otherCertificates: [Certificate]
    ) throws(CertificateError) -> [UInt8] {
        defer { ERR_clear_error() }
        let list = try Self.list([certificate] + otherCertificates)
        defer { adattribution_cms_free_list(list) }
        guard let length = Int32(exactly: content.count),
            let message = adattribution_cms_sign(list, key.key.pointer, content, length)
        else { throw .unavailable }
        defer { CMS_ContentInfo_free(message) }
        var output: UnsafeMutablePointer<UInt8>?
        let size = i2d_CMS_ContentInfo(message, &output)
        guard size > 0, let output else { throw .unavailable }
        defer { CRYPTO_free(output, nil, 0) }
        return Array(UnsafeBufferPointer(start: output, count: Int(size)))
    }

    /// The certificates of a list of libcrypto.
    private static func certificates(_ list: OpaquePointer?) throws(CertificateError) -> [Certificate] {
        var certificates: [Certificate] = []
        for index in 0..<adattribution_cms_count(list) {
            guard let pointer = adattribution_cms_certificate(list, index) else { throw .unavailable }
            certificates.append(try Certificate(der: Certificate.der(of: pointer)))
        }
        return certificates
    }

    /// A list of libcrypto, which the caller frees.
    private static func list(_ certificates: [Certificate]) throws(CertificateError) -> OpaquePointer {
        guard let list = adattribution_cms_new_list() else { throw .unavailable }
        for certificate in certificates where adattribution_cms_append(list, certificate.pointer) != 1 {
            adattribution_cms_free_list(list)
            throw .unavailable
        }
        return list
    }
}
