/// The multiples d · 2^(8i) · P of one point P, for each window i and each d of 1…128, affine: with them any multiple of
/// P is a sum of as many of them as a scalar has bytes, without a doubling.
///
/// Source: Brickell, Gordon, McCurley, Wilson, "Fast Exponentiation with Precomputation"; signed digits halve the table.
final class WindowTable<Curve: EllipticCurve>: @unchecked Sendable {
    // Sendable: the entries are written in init and only read afterwards.
    private let entries: UnsafeMutableBufferPointer<AffinePoint<Curve.Field>>

    private static var windowSize: Int { 128 }

    /// The table of a point of the curve.
    init(_ point: AffinePoint<Curve.Field>) {
        let windows = Curve.Scalar.digitCount
        var multiples: [ExtendedPoint<Curve.Field>] = []
        multiples.reserveCapacity(windows * Self.windowSize)
        var base = point
        for _ in 0..<windows {
            var multiple = ExtendedPoint<Curve.Field>.infinity
            for _ in 0..<Self.windowSize {
                multiple.add(base)
                multiples.append(multiple)
            }
            // 128 · base, twice, is the next window's 1.
            base = ExtendedPoint.affine([multiple.doubled]).first ?? .infinity
        }
        entries = .allocate(capacity: multiples.count)
        _ = entries.initialize(from: ExtendedPoint.affine(multiples))
    }

    deinit {
        entries.deallocate()
    }

    /// The multiple of P that a digit stands for in its window.
    @inline(__always)
    func multiple(_ digit: Int16, window: Int) -> AffinePoint<Curve.Field> {
        guard digit != 0 else { return .infinity }
        let entry = entries[window &* Self.windowSize &+ Int(digit.magnitude) &- 1]
        return AffinePoint(x: entry.x, y: entry.y.negated(digit < 0))
    }

    /// Adds the multiple of P that the digits stand for, negated or not.
    @inline(__always)
    func add(_ digits: UnsafeMutableBufferPointer<Int16>, isNegated: Bool, to sum: inout ExtendedPoint<Curve.Field>) {
        for index in 0..<Curve.Scalar.digitCount {
            let digit = isNegated ? 0 &- digits[index] : digits[index]
            guard digit != 0 else { continue }
            // Both in range by construction: digits are −128…128, and there are as many windows as digits.
            let entry = entries[index &* Self.windowSize &+ Int(digit.magnitude) &- 1]
            sum.add(entry, isNegated: digit < 0)
        }
    }
}
