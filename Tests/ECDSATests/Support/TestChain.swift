import ECDSA
import Encodings

/// A root, an authority under it and a leaf under that, with their keys.
struct TestChain {
    /// The first second of the root and of the authority; the leaf's is 10 seconds later.
    static let first: Int64 = 1_700_000_000
    /// The last second of the root; the authority's is 10 seconds, and the leaf's 20 seconds earlier.
    static let last: Int64 = 4_000_000_000

    let keys: (root: SigningKey, intermediate: SigningKey, leaf: SigningKey)
    let root: Certificate
    let intermediate: Certificate
    let leaf: Certificate

    init() throws {
        keys = try (.generate(), .generate(), .generate())
        root = try CertificateMaker.make(
            subject: "Root", key: keys.root, issuedBy: nil, isAuthority: true, validFrom: Self.first,
            validTo: Self.last)
        intermediate = try CertificateMaker.make(
            subject: "Authority", key: keys.intermediate, issuedBy: (root, keys.root), marker: ["1.2.3.4"],
            isAuthority: true, validFrom: Self.first, validTo: Self.last - 10, serial: 2)
        leaf = try CertificateMaker.make(
            subject: "Leaf", key: keys.leaf, issuedBy: (intermediate, keys.intermediate),
            marker: ["1.2.840.113635.100.6.11.1", "2.5.29.99"], isAuthority: false, validFrom: Self.first + 10,
            validTo: Self.last - 20, serial: 3)
    }

    /// The certificates as PEM.
    static func pem(_ certificates: Certificate...) -> String {
        certificates.map(\.pem).joined()
    }
}

extension Certificate {
    /// The certificate as PEM, in lines of 64 characters.
    var pem: String {
        var rest = Substring(Base64.encode(der))
        var lines = "-----BEGIN CERTIFICATE-----\n"
        while !rest.isEmpty {
            lines += String(rest.prefix(64)) + "\n"
            rest = rest.dropFirst(64)
        }
        return lines + "-----END CERTIFICATE-----\n"
    }
}
