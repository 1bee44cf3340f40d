internal import COpenSSL

/// Makes certificates for tests and simulations.
package enum CertificateMaker {
    /// Makes an X.509 certificate of version 3 and signs it with ECDSA over SHA-256.
    ///
    /// It has what RFC 5280 asks for: constraints, key usage and identifiers of keys. An authority that has an issuer
    /// can issue no further authorities.
    /// - Parameters:
    ///   - subject: The common name, 1 to 64 characters.
    ///   - key: The key pair of the certificate.
    ///   - issuer: Who signs; nil for a certificate that signs itself.
    ///   - oids: Extensions without content, which mark the certificate.
    ///   - validFrom: The first second, since 1970.
    ///   - validTo: The last second, since 1970.
    ///   - serial: The serial number, from 1.
    package static func make(
        subject: String, key: SigningKey, issuedBy issuer: (certificate: Certificate, key: SigningKey)?,
        marker oids: [String] = [], isAuthority: Bool, validFrom: Int64, validTo: Int64, serial: Int64 = 1
    ) throws(CertificateError) -> Certificate {
        defer { ERR_clear_error() }
        guard
            let pointer = adattribution_new_certificate(
                subject, key.key.pointer, issuer?.certificate.pointer, isAuthority ? 1 : 0, validFrom, validTo, serial)
        else { throw .unavailable }
        defer { X509_free(pointer) }
        guard oids.allSatisfy({ adattribution_add_marker(pointer, $0) == 1 }),
            X509_sign(pointer, (issuer?.key ?? key).key.pointer, EVP_sha256()) > 0
        else { throw .unavailable }
        return try Certificate(der: Certificate.der(of: pointer))
    }
}
