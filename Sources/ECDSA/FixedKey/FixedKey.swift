/// A key on P-192 or P-256 whose multiples were computed once, so that verifying under it is many times as fast.
///
/// It verifies ECDSA over a digest of 32 bytes, of which P-192 takes the leftmost 24. Making one takes some hundredths of
/// a second and 1.6 or 2.9 megabytes. Nothing here runs in constant time: data only.
struct FixedKey: Sendable {
    private enum Verifier: Sendable {
        case p192(FixedKeyVerifier<P192>)
        case p256(FixedKeyVerifier<P256>)
    }

    private let verifier: Verifier

    /// The multiples of the generators, made on first use.
    private static let generatorP192 = WindowTable<P192>(P192.generator, width: generatorWidth)
    private static let generatorP256 = WindowTable<P256>(P256.generator, width: generatorWidth)

    /// The bits of a window where none are given.
    static let windowWidth = isOptimised ? 12 : 8
    /// The generators serve every key, so that their tables may be larger.
    private static let generatorWidth = isOptimised ? 13 : 8

    #if DEBUG
        /// Without optimisation a table of wide windows takes many seconds to make.
        private static let isOptimised = false
    #else
        private static let isOptimised = true
    #endif

    /// A key on P-192, its coordinates as 24 big-endian bytes; nil where they are no point of the curve.
    ///
    /// - Parameter windowWidth: the bits of a window, 2…14: more make a larger table and quicker verifying.
    init?(p192x x: [UInt8], y: [UInt8], windowWidth: Int = windowWidth) {
        guard
            let verifier = FixedKeyVerifier<P192>(x: x, y: y, width: windowWidth, generator: Self.generatorP192)
        else { return nil }
        self.verifier = .p192(verifier)
    }

    /// A key on P-256, its coordinates as 32 big-endian bytes; nil where they are no point of the curve.
    ///
    /// - Parameter windowWidth: as on P-192.
    init?(p256x x: [UInt8], y: [UInt8], windowWidth: Int = windowWidth) {
        guard
            let verifier = FixedKeyVerifier<P256>(x: x, y: y, width: windowWidth, generator: Self.generatorP256)
        else { return nil }
        self.verifier = .p256(verifier)
    }

    /// Whether a signature in DER is this key's over a digest of 32 bytes.
    func isValid(signature: [UInt8], digest: [UInt8]) -> Bool {
        switch verifier {
        case .p192(let verifier): verifier.isValid(signature: signature, digest: digest)
        case .p256(let verifier): verifier.isValid(signature: signature, digest: digest)
        }
    }

    /// What `isValid` says of each of many signatures, in less time than one by one.
    ///
    /// It pays from four signatures on, and most of the gain is there with thirty-two.
    func areValid(_ signatures: [(signature: [UInt8], digest: [UInt8])]) -> [Bool] {
        switch verifier {
        case .p192(let verifier): verifier.areValid(signatures)
        case .p256(let verifier): verifier.areValid(signatures)
        }
    }
}
