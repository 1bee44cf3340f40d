/// The multiples d · 2^(wi) · P of a point P, in affine coordinates: for each window i of w bits, and each d of
/// 1…2^(w−1).
///
/// Every multiple of P is a sum of entries, one for each window of the scalar, without a doubling. With wider windows
/// there are fewer summands, and the table is larger. With 8 bits it has 0.3 megabytes on P-192 and 0.5 on P-256; with
/// 12 bits, 1.6 and 2.9. Signed digits halve the table. Source: Brickell, Gordon, McCurley, Wilson, "Fast
/// Exponentiation with Precomputation".
final class WindowTable<Curve: EllipticCurve>: @unchecked Sendable {
    // Sendable: the entries are written in init and only read afterwards.
    private let entries: UnsafeMutableBufferPointer<AffinePoint<Curve.Field>>
    /// The bits of a window, 2…14.
    let width: Int
    /// The number of windows of a scalar.
    let windowCount: Int
    /// The number of multiples of a window.
    private let windowSize: Int

    /// Computes the table of a point of the curve.
    init(_ point: AffinePoint<Curve.Field>, width: Int) {
        self.width = width
        windowCount = (8 * Curve.Scalar.byteCount + width - 1) / width
        windowSize = 1 << (width - 1)
        entries = .allocate(capacity: windowCount * windowSize)
        var base = point
        for window in 0..<windowCount {
            var multiple = ExtendedPoint<Curve.Field>.infinity
            let multiples = (0..<windowSize).map { _ in
                multiple.add(base)
                return multiple
            }
            _ = UnsafeMutableBufferPointer(rebasing: entries[window * windowSize..<(window + 1) * windowSize])
                .initialize(from: ExtendedPoint.affine(multiples))
            // 2^(w−1) · base, twice, is the next window's 1.
            base = ExtendedPoint.affine([multiple.doubled]).first ?? .infinity
        }
    }

    deinit {
        entries.deallocate()
    }

    /// Calls a body with the summand of each window of a multiple of P, which is infinity for the digit 0.
    ///
    /// All entries are read before the first one is used. The table may be larger than the nearest cache, and such
    /// reads overlap.
    @inline(__always)
    func forEachMultiple(of scalar: Curve.Scalar, _ body: (_ window: Int, AffinePoint<Curve.Field>) -> Void) {
        withUnsafeTemporaryAllocation(of: Int16.self, capacity: windowCount) { digits in
            let isNegated = scalar.signedDigits(digits, width: width)
            for window in 0..<windowCount {
                let digit = digits[window]
                guard digit != 0 else {
                    body(window, .infinity)
                    continue
                }
                // Both in range by construction: no digit is above 2^(w−1), and there are as many windows as digits.
                let entry = entries[window &* windowSize &+ Int(digit.magnitude) &- 1]
                body(window, AffinePoint(x: entry.x, y: entry.y.negated((digit < 0) != isNegated)))
            }
        }
    }

    /// Adds a multiple of P.
    @inline(__always)
    func add(_ scalar: Curve.Scalar, to sum: inout ExtendedPoint<Curve.Field>) {
        withUnsafeTemporaryAllocation(of: AffinePoint<Curve.Field>.self, capacity: windowCount) { points in
            forEachMultiple(of: scalar) { window, point in points.initializeElement(at: window, to: point) }
            for point in points { sum.add(point) }
        }
    }
}
