import ECDSA

/// A leaf and its issuer that were proven to lead to a trusted root.
struct ProvenChain: Sendable {
    /// The leaf's key, on P-256.
    let key: VerificationKey
    /// The seconds since 1970 at which all three certificates are valid.
    let validity: Range<Int64>
    /// Whether the root is one of tests.
    let isOfTestRoot: Bool

    /// Proves a chain at a time, in seconds since 1970.
    ///
    /// Apple's roots go first, and are as strict as Apple's library is. Roots of tests may lack identifiers of keys, as
    /// those in Apple's test data do.
    init(
        leaf: Certificate, intermediate: Certificate, appleRoots: [Certificate], testRoots: [Certificate],
        at seconds: Int64
    ) throws(CertificateError) {
        for (certificate, oid) in [(leaf, StoreMarker.leaf), (intermediate, StoreMarker.intermediate)] {
            guard certificate.hasExtension(oid) else { throw .missingMarker(oid: oid) }
        }
        let end = try Self.end(of: leaf, intermediate, appleRoots, testRoots, at: seconds)
        do throws(KeyError) {
            key = try leaf.publicKey()
        } catch {
            throw .untrusted(reason: "the leaf's key is \(error)")
        }
        guard key.curve == .p256 else { throw .untrusted(reason: "the leaf's key is not on P-256") }
        validity = end.validity
        isOfTestRoot = end.isOfTestRoot
    }

    private static func end(
        of leaf: Certificate, _ intermediate: Certificate, _ appleRoots: [Certificate], _ testRoots: [Certificate],
        at seconds: Int64
    ) throws(CertificateError) -> (validity: Range<Int64>, isOfTestRoot: Bool) {
        var refusal = CertificateError.untrusted(reason: "there is no root")
        for (roots, isOfTestRoot) in [(appleRoots, false), (testRoots, true)] where !roots.isEmpty {
            do throws(CertificateError) {
                let validity = try CertificateChain.verify(
                    leaf: leaf, intermediate: intermediate, roots: roots, at: seconds, isStrict: !isOfTestRoot)
                return (validity, isOfTestRoot)
            } catch {
                // A chain that is known and expired says more than one that is not known.
                if case .notValidAt = refusal { continue }
                refusal = error
            }
        }
        throw refusal
    }
}
