import AppStoreData
import ECDSA
import Encodings
import StrictJSON

/// A root, an authority and a leaf with Apple's marks, and their keys, so that any part of signed data can be wrong.
struct TestStore: Sendable {
    /// The first second of root and authority.
    static let first: Int64 = 1_600_000_000
    /// The first second of the leaf.
    static let firstOfLeaf: Int64 = 1_650_000_000
    /// The last second of all three.
    static let last: Int64 = 4_000_000_000
    /// When payloads are signed, in milliseconds: 31 October 2025.
    static let signedAt: Int64 = 1_761_868_800_000
    /// The time at which tests verify, in milliseconds: 15 January 2027.
    static let now: Int64 = 1_800_000_000_000
    /// A payload that nothing is wrong with.
    static let payload = #"{"environment":"Sandbox","bundleId":"com.example","signedDate":1761868800000}"#

    let rootKey: SigningKey
    let intermediateKey: SigningKey
    let leafKey: SigningKey
    let root: Certificate
    let intermediate: Certificate
    let leaf: Certificate

    init() throws {
        rootKey = try .generate()
        intermediateKey = try .generate()
        leafKey = try .generate()
        root = try CertificateMaker.make(
            subject: "Root", key: rootKey, issuedBy: nil, isAuthority: true, validFrom: Self.first,
            validTo: Self.last)
        intermediate = try CertificateMaker.make(
            subject: "Authority", key: intermediateKey, issuedBy: (root, rootKey), marker: [StoreMarker.intermediate],
            isAuthority: true, validFrom: Self.first, validTo: Self.last, serial: 2)
        leaf = try CertificateMaker.make(
            subject: "Leaf", key: leafKey, issuedBy: (intermediate, intermediateKey), marker: [StoreMarker.leaf],
            isAuthority: false, validFrom: Self.firstOfLeaf, validTo: Self.last, serial: 3)
    }

    /// Another authority under the root, with the same name and key.
    func authority(
        marker: [String] = [StoreMarker.intermediate], isAuthority: Bool = true, validTo: Int64 = TestStore.last
    ) throws -> Certificate {
        try CertificateMaker.make(
            subject: "Authority", key: intermediateKey, issuedBy: (root, rootKey), marker: marker,
            isAuthority: isAuthority, validFrom: Self.first, validTo: validTo, serial: 4)
    }

    /// Another leaf with the same name, under the authority or another issuer.
    func otherLeaf(
        marker: [String] = [StoreMarker.leaf], key: SigningKey? = nil,
        issuedBy issuer: (certificate: Certificate, key: SigningKey)? = nil
    ) throws -> Certificate {
        try CertificateMaker.make(
            subject: "Leaf", key: key ?? leafKey, issuedBy: issuer ?? (intermediate, intermediateKey), marker: marker,
            isAuthority: false, validFrom: Self.firstOfLeaf, validTo: Self.last, serial: 5)
    }

    /// A verifier that trusts the root as one of tests.
    func verifier() -> SignedDataVerifier {
        SignedDataVerifier(trust: StoreTrust(apps: [], sharedSecrets: [], testRoots: [root], accountKey: nil))
    }

    /// The header with these certificates, or with another `x5c`.
    func header(
        _ certificates: [Certificate]? = nil, algorithm: String = "ES256", x5c: String? = nil, more: String = ""
    ) -> String {
        let array = x5c ?? Self.x5c((certificates ?? [leaf, intermediate, root]).map { Base64.encode($0.der) })
        return "{\"alg\":\(JSONText.quoted(algorithm)),\"x5c\":\(array)\(more)}"
    }

    /// An array of texts.
    static func x5c(_ texts: [String]) -> String {
        "[" + texts.map(JSONText.quoted).joined(separator: ",") + "]"
    }

    /// Header and payload as they are, signed by a key.
    func text(
        header: String? = nil, payload: String = TestStore.payload, key: SigningKey? = nil,
        signature change: ([UInt8]) -> [UInt8] = { $0 }
    ) throws -> [UInt8] {
        let parts = [header ?? self.header(), payload].map { Base64.encode(Array($0.utf8), .urlSafe) }
        let message = Array(parts.joined(separator: ".").utf8)
        let der = try (key ?? leafKey).signature(of: message)
        let signature = change(ECDSASignature.concatenated(der: der) ?? [])
        return message + Array(("." + Base64.encode(signature, .urlSafe)).utf8)
    }
}

/// What a verifier says of a text.
enum Verdict: Equatable, CustomStringConvertible {
    case accepted
    case refused(SignedDataError.Reason, field: String)

    init(_ text: [UInt8], by verifier: SignedDataVerifier, now: Int64 = TestStore.now) {
        do throws(SignedDataError) {
            _ = try verifier.verify(text, now: now)
            self = .accepted
        } catch {
            self = .refused(error.reason, field: error.field)
        }
    }

    var description: String {
        switch self {
        case .accepted: "accepted"
        case .refused(let reason, let field): "\(reason.rawValue) \(field)"
        }
    }
}
