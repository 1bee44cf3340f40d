import TestSupport
import Testing

@testable import ECDSA

/// Sums of points, the rare ones above all: infinity, equal and opposite points.
@Suite("Points", .heavyWork)
struct PointTests {
    private func check<Curve: EllipticCurve>(_: Curve.Type) {
        typealias Point = ExtendedPoint<Curve.Field>
        let g = Curve.generator
        #expect(Curve.contains(g))
        #expect(!Curve.contains(.infinity))
        #expect(!Curve.contains(AffinePoint(x: g.x + .one, y: g.y)))

        func affine(_ point: Point) -> AffinePoint<Curve.Field>? { Point.affine([point]).first }
        var sum = Point(g)
        sum.add(.infinity)
        #expect(affine(sum) == g)
        sum.add(g)
        #expect(affine(sum) == affine(Point(g).doubled))
        #expect(affine(sum) == affine(Point(doubling: g)))
        sum.add(g, isNegated: true)
        #expect(affine(sum) == g)
        sum.add(g, isNegated: true)
        #expect(sum.isInfinity)
        sum.add(.infinity, isNegated: true)
        #expect(sum.isInfinity)
        sum.add(g, isNegated: true)
        #expect(affine(sum) == g.negated)
        #expect(Point.infinity.doubled.isInfinity)
        #expect(affine(.infinity) == .infinity)

        // 4 G by doubling and by adding, with other ZZ on the way.
        let four = Point(g).doubled.doubled
        var added = Point(g)
        for _ in 0..<3 { added.add(g) }
        #expect(affine(four) == affine(added))
        var eight = four
        if let four = affine(four) { eight.add(four) }
        #expect(affine(eight) == affine(four.doubled))
        if let four = affine(four) { eight.add(four, isNegated: true) }
        if let four = affine(four) { eight.add(four, isNegated: true) }
        #expect(eight.isInfinity)
        let mixed = Point.affine([.infinity, four, .infinity, Point(g)])
        #expect(mixed == [.infinity, affine(four), .infinity, g])
        #expect(mixed.compactMap { $0 }.filter { !$0.isInfinity }.allSatisfy(Curve.contains))
    }

    @Test("Points of P-192 are added as libcrypto adds them")
    func p192() {
        check(P192.self)
    }

    @Test("Points of P-256 are added as libcrypto adds them")
    func p256() {
        check(P256.self)
    }

    private func checkTable<Curve: EllipticCurve>(_: Curve.Type, width: Int) throws {
        let table = WindowTable<Curve>(Curve.generator, width: width)
        let count = Curve.Scalar.byteCount
        func multiple(_ scalar: Curve.Scalar) -> ExtendedPoint<Curve.Field> {
            var sum = ExtendedPoint<Curve.Field>.infinity
            table.add(scalar, to: &sum)
            return sum
        }
        /// By doubling and adding, bit by bit.
        func reference(_ scalar: Curve.Scalar) -> ExtendedPoint<Curve.Field> {
            var sum = ExtendedPoint<Curve.Field>.infinity
            for byte in scalar.bigEndian {
                for bit in (0..<8).reversed() {
                    sum = sum.doubled
                    if byte >> UInt8(bit) & 1 == 1 { sum.add(Curve.generator) }
                }
            }
            return sum
        }
        var scalars: [Curve.Scalar] = [.zero, .one, .one.negated, Curve.Scalar.one.doubled.negated]
        var power = Curve.Scalar.one
        for bit in 0..<count * 8 - 1 {
            power = power.doubled
            if bit % width > width - 4 { scalars += [power, power - .one, power + .one, power.negated] }
        }
        for scalar in scalars {
            let points = ExtendedPoint.affine([multiple(scalar), reference(scalar)])
            #expect(points.first == points.last)
        }
        #expect(multiple(.zero).isInfinity)
    }

    @Test("The multiples of a table are those of doubling and adding, at every edge of a window", arguments: [5, 10])
    func tables(width: Int) throws {
        try checkTable(P192.self, width: width)
        if width < 10 { try checkTable(P256.self, width: width) }
    }

    @Test("Sums of a batch are those one by one, also with equal points, opposite points and infinity")
    func sumsInLanes() throws {
        // With Q = 2^128 · G the last windows of u1 and the first of u2 stand for the same points, and meet before
        // others are added.
        var base = ExtendedPoint<P192.Field>(P192.generator)
        var power = P192.Scalar.one
        for _ in 0..<128 {
            base = base.doubled
            power = power.doubled
        }
        let point = try #require(ExtendedPoint.affine([base]).first)
        let generator = WindowTable<P192>(P192.generator, width: 8)
        let key = WindowTable<P192>(point, width: 8)
        let small = P192.Scalar.one.doubled + .one
        let large = (power - .one).doubled.squared
        var pairs: [(P192.Scalar, P192.Scalar)] = []
        for u in [P192.Scalar.zero, .one, small, large] {
            for v in [power * small, power, .zero] {
                for w in [small, small.negated, .one, .zero, large] { pairs.append((v + u, w)) }
            }
        }
        let expected = pairs.map { u1, u2 in
            var sum = ExtendedPoint<P192.Field>.infinity
            generator.add(u1, to: &sum)
            key.add(u2, to: &sum)
            return sum
        }
        let sums = LockstepSums(generator: generator, key: key, capacity: pairs.count)
        // Twice, and with fewer lanes: nothing is left of what was there before.
        for count in [pairs.count, pairs.count - 7, 1] {
            let first = pairs.count - count
            for lane in 0..<count { sums.setScalars(pairs[first + lane].0, pairs[first + lane].1, lane: lane) }
            sums.compute(lanes: count)
            let actual = (0..<count).map { sums[$0] }
            #expect(actual == ExtendedPoint.affine(Array(expected[first...])))
        }
        #expect(ExtendedPoint.affine(expected).contains(.infinity))
    }

    @Test("Shared inverses are those of single inversions", arguments: [1, 3, 4, 5, 30])
    func sharedInverses(_ count: Int) {
        let inversion = SharedInversion<P256.Scalar>(capacity: 30)
        var values = [P256.Scalar.one.doubled]
        for _ in 1..<count { values.append(values[values.count - 1].squared + .one) }
        for _ in 0..<2 {
            inversion.start(count: count)
            for place in values.indices.reversed() { inversion.take(values[place], at: place) }
            inversion.invert()
            for place in values.indices {
                #expect(inversion.inverse(of: values[place], at: place) == values[place].variableTimeInverse)
            }
        }
    }
}
