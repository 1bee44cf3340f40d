package import AppStoreData
package import ECDSA
import Encodings

extension AppStoreSimulator {
    /// When the made-up certificates are valid, in seconds since 1970: the years 2001 to 2201.
    ///
    /// They do not depend on the simulated days, so a key ring can keep the root.
    private static let validity: ClosedRange<Int64> = 978_307_200...7_321_017_600

    /// A signer whose test root has this key, so that one root can verify several simulations.
    ///
    /// - Parameter rootKey: A key on P-256.
    package static func signer(rootKey: SigningKey) throws -> StoreSigner {
        try StoreSigner.make(rootKey: rootKey, validFrom: validity.lowerBound, validTo: validity.upperBound)
    }
}

extension StoreSigner {
    /// The certificate of the test root in PEM form, for `test-roots` of a key ring.
    package var rootPEM: String {
        let text = Base64.encode(root.der)
        let lines = stride(from: 0, to: text.count, by: 64).map { text.dropFirst($0).prefix(64) }
        return "-----BEGIN CERTIFICATE-----\n\(lines.joined(separator: "\n"))\n-----END CERTIFICATE-----\n"
    }
}
