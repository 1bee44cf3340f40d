/// The backend for a public key that verifies again and again.
///
/// The multiples of the key are computed once. That takes some hundredths of a second and 1.6 or 2.9 megabytes. After
/// that, verifying is many times as fast. Nothing here runs in constant time: public data only.
public struct FixedKey: SignatureBackend {
    // The compiler makes fast code for each of the two, but not for a generic type behind a protocol.
    private enum Verifier: Sendable {
        case p192(FixedKeyVerifier<P192>)
        case p256(FixedKeyVerifier<P256>)
    }

    private let verifier: Verifier

    /// The tables of the generators, made on first use.
    private static let generatorP192 = WindowTable<P192>(P192.generator, width: generatorWidth)
    private static let generatorP256 = WindowTable<P256>(P256.generator, width: generatorWidth)

    /// The bits of a window, 2…14.
    ///
    /// More bits make a larger table and quicker verifying.
    static let windowWidth = isOptimised ? 12 : 8
    /// All keys share the generators, so their tables may be larger.
    private static let generatorWidth = isOptimised ? 13 : 8

    #if DEBUG
        /// Without optimisation, making a table of wide windows takes many seconds.
        private static let isOptimised = false
    #else
        private static let isOptimised = true
    #endif

    /// A backend for a key; nil if its coordinates can't be had.
    public static func backend(for key: VerificationKey) -> (any SignatureBackend)? {
        guard let (x, y) = key.key.coordinates else { return nil }
        return backend(on: key.curve, x: x, y: y)
    }

    /// A backend for the key at these coordinates; nil if they are no point of the curve.
    ///
    /// They are as many big-endian bytes as the curve's order has.
    static func backend(on curve: Curve, x: [UInt8], y: [UInt8]) -> (any SignatureBackend)? {
        switch curve {
        case .p192:
            FixedKeyVerifier<P192>(x: x, y: y, width: windowWidth, generator: generatorP192)
                .map { FixedKey(verifier: .p192($0)) }
        case .p256:
            FixedKeyVerifier<P256>(x: x, y: y, width: windowWidth, generator: generatorP256)
                .map { FixedKey(verifier: .p256($0)) }
        }
    }

    /// Checks few signatures one by one, and more of them side by side.
    public func areValid(_ signatures: [SignedDigest]) -> [Bool] {
        switch verifier {
        case .p192(let verifier): verifier.areValid(signatures)
        case .p256(let verifier): verifier.areValid(signatures)
        }
    }
}
