internal import COpenSSL

/// Chains of three certificates: a leaf, its issuer, and a root that signed the issuer.
package enum CertificateChain {
    /// Checks the path from a leaf over its issuer to one of the roots at a time, by libcrypto (RFC 5280).
    ///
    /// Only `roots` are trusted, and no other certificates are looked for. Revocation is not checked.
    /// - Parameter isStrict: Whether the certificates must have all that RFC 5280 asks for, identifiers of keys too.
    /// - Returns: The seconds since 1970 at which this path is valid, the last one not included.
    @discardableResult
    package static func verify(
        leaf: Certificate, intermediate: Certificate, roots: [Certificate], at seconds: Int64, isStrict: Bool = false
    ) throws(CertificateError) -> Range<Int64> {
        let pointers = roots.map { Optional($0.pointer) }
        var place: Int32 = -1
        let reason = adattribution_verify_chain(
            leaf.pointer, intermediate.pointer, pointers, Int32(clamping: pointers.count), seconds, isStrict ? 1 : 0,
            &place)
        ERR_clear_error()
        guard reason != X509_V_ERR_CERT_NOT_YET_VALID, reason != X509_V_ERR_CERT_HAS_EXPIRED else {
            throw .notValidAt(seconds)
        }
        guard reason == X509_V_OK, roots.indices.contains(Int(place)) else {
            throw .untrusted(reason: words(for: reason))
        }
        // libcrypto does not take a certificate in its last second any more.
        let path = [leaf.validity, intermediate.validity, roots[Int(place)].validity]
        let first = path.map(\.lowerBound).reduce(Int64.min, max)
        let last = path.map(\.upperBound).reduce(Int64.max, min)
        guard first <= seconds, seconds < last else { throw .notValidAt(seconds) }
        return first..<last
    }

    private static func words(for reason: Int32) -> String {
        guard reason >= 0, let text = X509_verify_cert_error_string(Int(reason)) else {
            return "the path is not this leaf, this issuer and a root"
        }
        return String(cString: text)
    }
}
