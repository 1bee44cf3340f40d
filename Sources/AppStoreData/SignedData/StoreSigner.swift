package import ECDSA
import Encodings
import StrictJSON

/// Signs data as the App Store does, under a root of its own, for tests and simulations.
package struct StoreSigner: Sendable {
    /// The root, which who verifies must trust as a root of tests.
    package let root: Certificate
    /// The leaf's key.
    private let key: SigningKey
    /// The header in base64url, and the dot after it.
    private let beginning: [UInt8]

    /// Takes a chain from the leaf to the root, and the leaf's key.
    package init(chain: [Certificate], root: Certificate, key: SigningKey) {
        self.root = root
        self.key = key
        let certificates = chain.map { JSONText.quoted(Base64.encode($0.der)) }.joined(separator: ",")
        let header = "{\"alg\":\"ES256\",\"x5c\":[\(certificates)]}"
        beginning = Array((Base64.encode(Array(header.utf8), .urlSafe) + ".").utf8)
    }

    /// Makes a root, an authority and a leaf with Apple's marks.
    ///
    /// - Parameters:
    ///   - rootKey: The root's key; nil for a new one. The other keys are new.
    ///   - validFrom: The first second of all three, since 1970.
    ///   - validTo: The last second of all three, since 1970.
    package static func make(
        rootKey: SigningKey? = nil, validFrom: Int64, validTo: Int64
    ) throws -> StoreSigner {
        let (key, leafKey) = try (SigningKey.generate(), SigningKey.generate())
        let rootKey = try rootKey ?? SigningKey.generate()
        let root = try CertificateMaker.make(
            subject: "Test Root of App Store Data", key: rootKey, issuedBy: nil, isAuthority: true,
            validFrom: validFrom, validTo: validTo)
        let intermediate = try CertificateMaker.make(
            subject: "Test Authority of App Store Data", key: key, issuedBy: (root, rootKey),
            marker: [StoreMarker.intermediate], isAuthority: true, validFrom: validFrom, validTo: validTo, serial: 2)
        let leaf = try CertificateMaker.make(
            subject: "Test Signer of App Store Data", key: leafKey, issuedBy: (intermediate, key),
            marker: [StoreMarker.leaf], isAuthority: false, validFrom: validFrom, validTo: validTo, serial: 3)
        return StoreSigner(chain: [leaf, intermediate, root], root: root, key: leafKey)
    }

    /// Signs a payload.
    ///
    /// - Returns: A JSON Web Signature in compact form.
    package func sign(_ payload: [UInt8]) throws(KeyError) -> [UInt8] {
        var text = beginning
        Base64.encode(payload, .urlSafe, into: &text)
        guard let signature = ECDSASignature.concatenated(der: try key.signature(of: text)) else { throw .unavailable }
        text.append(UInt8(ascii: "."))
        Base64.encode(signature, .urlSafe, into: &text)
        return text
    }
}
