import ECDSA
import Synchronization

/// Verifies signed data of the App Store as Apple's library does without a network.
///
/// `x5c` has three certificates: a leaf with Apple's mark, its issuer with the other mark, and a third that is not
/// used. Leaf and issuer must lead to one of our roots at the time when the data was signed. The leaf's key must have
/// signed.
/// It is stricter than Apple's library in some points, which docs/app-store-signed-data.md lists. It does not look at
/// the app or the environment.
/// Source: apple/app-store-server-library-python, `signed_data_verifier.py`.
package final class SignedDataVerifier: Sendable {
    /// The most bytes of one text.
    package static let maximumBytes = 64 * 1024
    /// The most objects and arrays around a value of a payload.
    package static let maximumDepth = 16
    /// How much later than our clock something may be signed, in milliseconds.
    package static let clockTolerance: Int64 = 300_000
    /// How many proven chains are kept.
    static let cacheLimit = 256

    /// What is trusted.
    package let trust: StoreTrust
    private let appleRoots: [Certificate]
    /// Chains by the SHA-256 of leaf and issuer.
    ///
    /// Only chains that were proven are kept. So a stranger can't fill it, and Apple uses a few leaves at a time.
    private let proven = Mutex<[[UInt8]: ProvenChain]>([:])

    /// Trusts Apple's roots, and what the installation trusts.
    package convenience init(trust: StoreTrust) {
        self.init(trust: trust, appleRoots: AppleRoots.all)
    }

    init(trust: StoreTrust, appleRoots: [Certificate]) {
        self.trust = trust
        self.appleRoots = appleRoots
    }

    /// Verifies a JSON Web Signature in compact form.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func verify(_ jws: [UInt8], now: Int64) throws(SignedDataError) -> VerifiedPayload {
        guard jws.count <= Self.maximumBytes else {
            throw SignedDataError(.tooLarge, field: "jws", rule: "must have at most \(Self.maximumBytes) bytes")
        }
        let signed = try SignedData(jws)
        // It is never negative, so this does not overflow.
        guard signed.signedAt - Self.clockTolerance <= now else {
            throw SignedDataError(
                .malformed, field: "signedDate", rule: "must not be more than five minutes later than now")
        }
        let chain = try chain(of: signed)
        guard chain.key.isValid(signature: signed.signature, for: signed.message) else {
            throw SignedDataError(.invalidSignature, field: "signature", rule: "must be of the first certificate's key")
        }
        return VerifiedPayload(signed, under: chain)
    }

    /// How many chains are known.
    var knownChains: Int { proven.withLock { $0.count } }

    /// The chain of signed data at its time, out of the cache if it was proven for this time.
    private func chain(of signed: SignedData) throws(SignedDataError) -> ProvenChain {
        let seconds = signed.signedAt / 1_000
        let name = SHA256.digest(signed.leaf) + SHA256.digest(signed.intermediate)
        if let known = proven.withLock({ $0[name] }), known.validity.contains(seconds) { return known }
        let chain: ProvenChain
        do throws(CertificateError) {
            chain = try ProvenChain(
                leaf: try Certificate(der: signed.leaf), intermediate: try Certificate(der: signed.intermediate),
                appleRoots: appleRoots, testRoots: trust.testRoots, at: seconds)
        } catch {
            let reason: SignedDataError.Reason = error == .malformed ? .malformed : .untrustedChain
            throw SignedDataError(reason, field: "x5c", rule: "must be a trusted chain: \(error)")
        }
        // libcrypto gives no digest if it fails.
        guard name.count == 64 else { return chain }
        proven.withLock { proven in
            if proven.count >= Self.cacheLimit { proven.removeAll(keepingCapacity: true) }
            proven[name] = chain
        }
        return chain
    }
}
