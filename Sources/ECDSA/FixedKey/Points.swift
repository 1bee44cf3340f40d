/// A point by its coordinates.
///
/// Two zeros mean infinity: they are not a point of a curve with b ≠ 0.
struct AffinePoint<Field: PrimeField>: Sendable, Equatable {
    var x: Field
    var y: Field

    static var infinity: Self { Self(x: .zero, y: .zero) }

    @inline(__always)
    var isInfinity: Bool { x.isZero && y.isZero }

    @inline(__always)
    var negated: Self { Self(x: x, y: y.negated) }
}

/// A point as X, Y, ZZ, ZZZ with x = X / ZZ, y = Y / ZZZ and ZZ³ = ZZZ².
///
/// Adding an affine point costs ten products and no inversion. ZZ = 0 is infinity.
///
/// Source: Explicit-Formulas Database, short Weierstrass curves, "XYZZ coordinates": madd-2008-s, dbl-2008-s-1 and
/// mdbl-2008-s-1.
struct ExtendedPoint<Field: PrimeField>: Sendable {
    private(set) var x: Field
    private(set) var y: Field
    private(set) var zz: Field
    private(set) var zzz: Field

    static var infinity: Self { Self(x: .zero, y: .zero, zz: .zero, zzz: .zero) }

    @inline(__always)
    var isInfinity: Bool { zz.isZero }

    private init(x: Field, y: Field, zz: Field, zzz: Field) {
        self.x = x
        self.y = y
        self.zz = zz
        self.zzz = zzz
    }

    init(_ point: AffinePoint<Field>) {
        self = point.isInfinity ? .infinity : Self(x: point.x, y: point.y, zz: .one, zzz: .one)
    }

    /// Adds an affine point, or its negative.
    @inline(never)
    mutating func add(_ point: AffinePoint<Field>, isNegated: Bool = false) {
        let p = point.x * zz - x
        let product = point.y * zzz
        // The sign is practically random, so a branch on it would often be predicted wrong.
        let r = product.negated(isNegated) - y
        // One test for all rare cases: equal x, or infinity on either side.
        guard !p.isZero, !isInfinity, !point.isInfinity else { return addRare(isNegated ? point.negated : point, r) }
        let pp = p.squared
        let ppp = p * pp
        let q = x * pp
        let sum = r.squared - ppp - q.doubled
        y = r * (q - sum) - y * ppp
        x = sum
        zz = zz * pp
        zzz = zzz * ppp
    }

    @inline(never)
    private mutating func addRare(_ point: AffinePoint<Field>, _ r: Field) {
        if point.isInfinity { return }
        if isInfinity {
            self = Self(point)
        } else if r.isZero {
            self = Self(doubling: point)
        } else {
            self = .infinity
        }
    }

    /// Twice an affine point, for curves with a = −3.
    init(doubling point: AffinePoint<Field>) {
        self = Self(point).doubled
    }

    /// Twice the point, for curves with a = −3.
    var doubled: Self {
        guard !isInfinity, !y.isZero else { return .infinity }
        let u = y.doubled
        let v = u.squared
        let w = u * v
        let s = x * v
        let xx = x.squared
        let zzSquared = zz.squared
        let m = xx.doubled + xx - zzSquared.doubled - zzSquared
        let sum = m.squared - s.doubled
        return Self(x: sum, y: m * (s - sum) - w * y, zz: v * zz, zzz: w * zzz)
    }

    /// The affine coordinates of many points, with one inversion for all of them (Montgomery's trick).
    static func affine(_ points: [Self]) -> [AffinePoint<Field>] {
        // Running products of zz · zzz, from which each inverse is computed. Infinity counts as 1.
        var products: [Field] = []
        products.reserveCapacity(points.count)
        var product = Field.one
        for point in points {
            products.append(product)
            if !point.isInfinity { product = product * point.zzz }
        }
        var inverse = product.inverse
        var result = Array(repeating: AffinePoint<Field>.infinity, count: points.count)
        for index in points.indices.reversed() where !points[index].isInfinity {
            let point = points[index]
            // 1 / ZZZ; and 1 / ZZ = (ZZ / ZZZ)², because ZZ³ = ZZZ².
            let zzzInverse = inverse * products[index]
            inverse = inverse * point.zzz
            let zInverse = point.zz * zzzInverse
            result[index] = AffinePoint(x: point.x * zInverse.squared, y: point.y * zzzInverse)
        }
        return result
    }
}
