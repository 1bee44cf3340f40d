package import AdAttribution

/// The test keys that sign simulated postbacks.
///
/// Only the curves of the simulated kinds need a key.
package struct SimulationKeys: Sendable {
    /// Signs SKAdNetwork 1.0 and 2.0.
    package let p192: SigningKey?
    /// Signs SKAdNetwork 2.1 and later, and AdAttributionKit.
    package let p256: SigningKey?
    /// The name of the P-256 key in the key ring, which is the `kid` of AdAttributionKit.
    package let name: String

    /// Takes keys on both curves.
    ///
    /// - Throws: `FieldError` if a key is on another curve, or if the name is not allowed in a key ring.
    package init(p192: SigningKey? = nil, p256: SigningKey? = nil, name: String = "load-test") throws(FieldError) {
        guard p192.map({ $0.curve == .p192 }) ?? true, p256.map({ $0.curve == .p256 }) ?? true else {
            throw FieldError(field: "key", rule: "must be a private key on the curve that it is given for")
        }
        if let p256 { _ = try PostbackKey(name: name, environment: .test, key: p256.publicKey) }
        self.p192 = p192
        self.p256 = p256
        self.name = name
    }

    /// Takes one key on any curve.
    package init(_ key: SigningKey, name: String = "load-test") throws(FieldError) {
        try self.init(
            p192: key.curve == .p192 ? key : nil, p256: key.curve == .p256 ? key : nil, name: name)
    }

    func key(on curve: Curve) -> SigningKey? {
        switch curve {
        case .p192: p192
        case .p256: p256
        }
    }
}

/// Deterministic signers for one pair of keys.
struct SimulationSigners: Sendable {
    private let p192: DeterministicSignature?
    private let p256: DeterministicSignature?
    let name: String

    /// Signers for the curves that the versions ask for.
    ///
    /// - Throws: `FieldError` that names the option of the missing key.
    init(_ keys: SimulationKeys, for layouts: [PostbackLayout], field: String) throws(FieldError) {
        var signers: [Curve: DeterministicSignature] = [:]
        for curve in Curve.allCases where layouts.contains(where: { $0.curve == curve }) {
            guard let key = keys.key(on: curve), let signer = try? DeterministicSignature(key: key) else {
                let versions =
                    curve == .p192
                    ? "P-192 for SKAdNetwork 1.0 and 2.0"
                    : "P-256 for SKAdNetwork 2.1 and later and AdAttributionKit"
                throw FieldError(field: field, rule: "must be a private key on \(versions)")
            }
            signers[curve] = signer
        }
        p192 = signers[.p192]
        p256 = signers[.p256]
        name = keys.name
    }

    func signature(of message: [UInt8], on curve: Curve) throws(KeyError) -> [UInt8] {
        guard let signer = curve == .p192 ? p192 : p256 else { throw .wrongCurve }
        return try signer.signature(of: message)
    }
}
