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

/// ECDSA verification under one public key, with tables of its multiples and of those of the generator.
///
/// It is for public data only: nothing runs in constant time, so it must never sign.
/// Source: NIST FIPS 186-5, section 6.4.2.
struct FixedKeyVerifier<Curve: EllipticCurve>: Sendable {
    let generator: WindowTable<Curve>
    let key: WindowTable<Curve>

    /// Makes a verifier for the key with these big-endian coordinates; nil if they are not a point of the curve.
    ///
    /// - Parameter width: The bits of a window.
    init?(x: [UInt8], y: [UInt8], width: Int, generator: WindowTable<Curve>) {
        guard let x = x.withUnsafeBytes({ Curve.Field(bigEndian: $0) }),
            let y = y.withUnsafeBytes({ Curve.Field(bigEndian: $0) }),
            case let point = AffinePoint(x: x, y: y), Curve.contains(point)
        else { return nil }
        self.generator = generator
        key = WindowTable(point, width: width)
    }

    /// Whether one signature is this key's over its digest.
    func isValid(_ signed: SignedDigest) -> Bool {
        guard let numbers = SignatureNumbers<Curve>(signed) else { return false }
        let w = numbers.s.variableTimeInverse
        return numbers.match(sum(numbers.e * w, numbers.r * w))
    }

    /// u1 · G + u2 · Q.
    private func sum(_ u1: Curve.Scalar, _ u2: Curve.Scalar) -> ExtendedPoint<Curve.Field> {
        var sum = ExtendedPoint<Curve.Field>.infinity
        generator.add(u1, to: &sum)
        key.add(u2, to: &sum)
        return sum
    }
}

extension FixedKeyVerifier {
    /// The number of signatures that are verified together.
    ///
    /// It is large enough that inversions cost little, and small enough for the second level of a processor's cache.
    static var chunkSize: Int { 128 }
    /// With fewer signatures, verifying one by one is faster.
    static var smallestBatch: Int { 4 }

    /// Checks few signatures one by one, and more of them side by side.
    func areValid(_ signatures: [SignedDigest]) -> [Bool] {
        guard signatures.count >= Self.smallestBatch else { return signatures.map(isValid) }
        // Chunks of about the same size.
        let chunks = (signatures.count - 1) / Self.chunkSize + 1
        let capacity = (signatures.count - 1) / chunks + 1
        let sums = LockstepSums(generator: generator, key: key, capacity: capacity)
        let inversion = SharedInversion<Curve.Scalar>(capacity: capacity)
        var verdicts = [Bool](repeating: false, count: signatures.count)
        // A signature that no key could have made is not put into a lane.
        var lanes: [(index: Int, numbers: SignatureNumbers<Curve>)] = []
        lanes.reserveCapacity(capacity)
        for start in stride(from: 0, to: signatures.count, by: capacity) {
            lanes.removeAll(keepingCapacity: true)
            for index in start..<min(start + capacity, signatures.count) {
                guard let numbers = SignatureNumbers<Curve>(signatures[index]) else { continue }
                lanes.append((index, numbers))
            }
            inversion.start(count: lanes.count)
            for lane in lanes.indices.reversed() { inversion.take(lanes[lane].numbers.s, at: lane) }
            inversion.invert()
            for lane in lanes.indices {
                let numbers = lanes[lane].numbers
                let w = inversion.inverse(of: numbers.s, at: lane)
                sums.setScalars(numbers.e * w, numbers.r * w, lane: lane)
            }
            sums.compute(lanes: lanes.count)
            for lane in lanes.indices { verdicts[lanes[lane].index] = lanes[lane].numbers.match(sums[lane]) }
        }
        return verdicts
    }
}
