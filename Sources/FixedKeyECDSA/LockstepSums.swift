/// The sums u1 · G + u2 · Q of many signatures, side by side in lanes.
///
/// A lane's sum has one summand for each digit of both scalars. Neighbours are added, then the sums of neighbours, and so
/// on; all additions of one round, in all lanes, share one inversion, so that each costs six products.
///
/// Source: Explicit-Formulas Database, short Weierstrass curves, affine coordinates.
struct LockstepSums<Curve: EllipticCurve>: ~Copyable {
    private typealias Point = AffinePoint<Curve.Field>

    private let generator: WindowTable<Curve>
    private let key: WindowTable<Curve>
    /// The digits of u1 and u2, lane after lane.
    private let digits: UnsafeMutableBufferPointer<Int16>
    /// The sums of a round, place after place, each with all its lanes.
    private let points: UnsafeMutableBufferPointer<Point>
    private let inversion: SharedInversion<Curve.Field>

    /// How many summands a lane has.
    private let places: Int

    /// Room for so many lanes.
    init(generator: WindowTable<Curve>, key: WindowTable<Curve>, capacity: Int) {
        self.generator = generator
        self.key = key
        places = generator.windowCount + key.windowCount
        digits = .allocate(capacity: capacity * places)
        digits.initialize(repeating: 0)
        points = .allocate(capacity: capacity * (places + 1) / 2)
        points.initialize(repeating: .infinity)
        inversion = SharedInversion(capacity: capacity * (places + 1) / 2)
    }

    deinit {
        digits.deallocate()
        points.deallocate()
    }

    /// The sum of a lane, once computed.
    subscript(lane: Int) -> AffinePoint<Curve.Field> { points[lane] }

    /// Sets the scalars of a lane.
    func setScalars(_ u1: Curve.Scalar, _ u2: Curve.Scalar, lane: Int) {
        setDigits(of: u1, for: generator, at: lane * places)
        setDigits(of: u2, for: key, at: lane * places + generator.windowCount)
    }

    private func setDigits(of scalar: Curve.Scalar, for table: WindowTable<Curve>, at start: Int) {
        let digits = UnsafeMutableBufferPointer(rebasing: digits[start..<start + table.windowCount])
        guard scalar.signedDigits(digits, width: table.width) else { return }
        for index in digits.indices { digits[index] = 0 &- digits[index] }
    }

    /// Computes the sums of the first lanes.
    func compute(lanes: Int) {
        let generatorWindows = generator.windowCount
        @inline(__always)
        func summand(_ place: Int, _ lane: Int) -> Point {
            let digit = digits[lane &* places &+ place]
            return place < generatorWindows
                ? generator.multiple(digit, window: place)
                : key.multiple(digit, window: place &- generatorWindows)
        }
        // The last place stays alone in the first round where their number is odd.
        addNeighbours(pairs: places / 2, lanes: lanes, summand)
        var count = places / 2
        if places % 2 == 1 {
            for lane in 0..<lanes { points[count * lanes + lane] = summand(places - 1, lane) }
            count += 1
        }
        while count > 1 {
            let pairs = count / 2
            addNeighbours(pairs: pairs, lanes: lanes) { place, lane in points[place &* lanes &+ lane] }
            if count % 2 == 1 {
                for lane in 0..<lanes { points[pairs * lanes + lane] = points[2 * pairs * lanes + lane] }
            }
            count -= pairs
        }
    }

    /// Adds the points at places 2i and 2i + 1, in every lane, into place i.
    @inline(__always)
    private func addNeighbours(pairs: Int, lanes: Int, _ point: (_ place: Int, _ lane: Int) -> Point) {
        inversion.start(count: pairs * lanes)
        for pair in (0..<pairs).reversed() {
            for lane in (0..<lanes).reversed() {
                let left = point(2 &* pair, lane)
                let right = point(2 &* pair &+ 1, lane)
                let difference = right.x - left.x
                let isRare = Self.isRare(left, right, difference)
                inversion.take(isRare ? .one : difference, at: pair &* lanes &+ lane)
            }
        }
        inversion.invert()
        // Upwards, a sum never overwrites a point that is still to be read.
        for pair in 0..<pairs {
            for lane in 0..<lanes {
                let left = point(2 &* pair, lane)
                let right = point(2 &* pair &+ 1, lane)
                let place = pair &* lanes &+ lane
                let difference = right.x - left.x
                if Self.isRare(left, right, difference) {
                    _ = inversion.inverse(of: .one, at: place)
                    points[place] = Self.rareSum(left, right)
                } else {
                    let slope = (right.y - left.y) * inversion.inverse(of: difference, at: place)
                    let x = slope.squared - left.x - right.x
                    points[place] = AffinePoint(x: x, y: slope * (left.x - x) - left.y)
                }
            }
        }
    }

    /// Whether the slope may be no quotient by the difference: equal x, or infinity, whose x is 0, on either side.
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
