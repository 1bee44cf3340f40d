/// Computes the sums u1 · G + u2 · Q of many signatures together.
///
/// Each signature has a lane.
///
/// A lane's sum has one summand for each digit of both scalars. Neighbours are added, then the sums of neighbours, and
/// so on. All additions of one round, in all lanes, share one inversion, so each addition costs six products.
///
/// Source: Explicit-Formulas Database, short Weierstrass curves, affine coordinates.
struct LockstepSums<Curve: EllipticCurve>: ~Copyable {
    private typealias Point = AffinePoint<Curve.Field>

    private let generator: WindowTable<Curve>
    private let key: WindowTable<Curve>
    /// The summands, and then the sums of each round, ordered by place and then by lane.
    private let points: UnsafeMutableBufferPointer<Point>
    private let inversion: SharedInversion<Curve.Field>
    private let capacity: Int

    /// The number of summands of a lane.
    private var places: Int { generator.windowCount + key.windowCount }

    /// Allocates memory for `capacity` lanes.
    init(generator: WindowTable<Curve>, key: WindowTable<Curve>, capacity: Int) {
        self.generator = generator
        self.key = key
        self.capacity = capacity
        let places = generator.windowCount + key.windowCount
        points = .allocate(capacity: capacity * places)
        points.initialize(repeating: .infinity)
        inversion = SharedInversion(capacity: capacity * (places / 2))
    }

    deinit {
        points.deallocate()
    }

    /// The sum of a lane, after `compute`.
    subscript(lane: Int) -> AffinePoint<Curve.Field> { points[lane] }

    /// Sets the scalars of a lane.
    func setScalars(_ u1: Curve.Scalar, _ u2: Curve.Scalar, lane: Int) {
        generator.forEachMultiple(of: u1) { window, point in points[window &* capacity &+ lane] = point }
        let first = generator.windowCount
        key.forEachMultiple(of: u2) { window, point in points[(first &+ window) &* capacity &+ lane] = point }
    }

    /// Computes the sums of the first lanes.
    func compute(lanes: Int) {
        var count = places
        while count > 1 {
            let pairs = count / 2
            addNeighbours(pairs: pairs, lanes: lanes)
            if count % 2 == 1 {
                for lane in 0..<lanes { points[pairs &* capacity &+ lane] = points[2 &* pairs &* capacity &+ lane] }
            }
            count -= pairs
        }
    }

    /// Adds the points at places 2i and 2i + 1, in every lane, into place i.
    private func addNeighbours(pairs: Int, lanes: Int) {
        inversion.start(count: pairs * lanes)
        for pair in (0..<pairs).reversed() {
            for lane in (0..<lanes).reversed() {
                let left = points[2 &* pair &* capacity &+ lane]
                let right = points[(2 &* pair &+ 1) &* capacity &+ lane]
                let difference = right.x - left.x
                let isRare = Self.isRare(left, right, difference)
                inversion.take(isRare ? .one : difference, at: pair &* lanes &+ lane)
            }
        }
        inversion.invert()
        // In rising order, a sum never overwrites a point that is read later.
        for pair in 0..<pairs {
            for lane in 0..<lanes {
                let left = points[2 &* pair &* capacity &+ lane]
                let right = points[(2 &* pair &+ 1) &* capacity &+ lane]
                let place = pair &* lanes &+ lane
                let target = pair &* capacity &+ lane
                let difference = right.x - left.x
                if Self.isRare(left, right, difference) {
                    _ = inversion.inverse(of: .one, at: place)
                    points[target] = Self.rareSum(left, right)
                } else {
                    let slope = (right.y - left.y) * inversion.inverse(of: difference, at: place)
                    let x = slope.squared - left.x - right.x
                    points[target] = AffinePoint(x: x, y: slope * (left.x - x) - left.y)
                }
            }
        }
    }

    /// Whether the slope can't be computed with the difference: equal x, or infinity, whose x is 0, on either side.
    @inline(__always)
    private static func isRare(_ left: Point, _ right: Point, _ difference: Curve.Field) -> Bool {
        difference.isZero || left.x.isZero || right.x.isZero
    }

    @inline(never)
    private static func rareSum(_ left: Point, _ right: Point) -> Point {
        if left.isInfinity { return right }
        if right.isInfinity { return left }
        var sum = ExtendedPoint(left)
        sum.add(right)
        return ExtendedPoint.affine([sum]).first ?? .infinity
    }
}
