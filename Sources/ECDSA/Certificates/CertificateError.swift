/// Why a certificate, or a chain of them, can't be used.
package enum CertificateError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Not one X.509 certificate in DER or PEM, or bytes after it.
    case malformed
    /// A certificate without the extension that it must have, or with two of them.
    case missingMarker(oid: String)
    /// A certificate of the chain is not valid at a time, in seconds since 1970.
    case notValidAt(Int64)
    /// The chain does not end in a trusted root, for libcrypto's reason.
    case untrusted(reason: String)
    /// libcrypto could not do what it was asked for.
    case unavailable

    /// The reason in words.
    package var description: String {
        switch self {
        case .malformed: "not one X.509 certificate"
        case .missingMarker(let oid): "a certificate without the extension \(oid)"
        case .notValidAt(let seconds): "a certificate is not valid \(seconds) seconds after 1970 began"
        case .untrusted(let reason): "no path to a trusted root: \(reason)"
        case .unavailable: "the cryptographic library refused the operation"
        }
    }
}
