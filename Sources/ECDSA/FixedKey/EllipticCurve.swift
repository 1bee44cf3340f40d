/// A curve y² = x³ − 3x + b over a prime field, with a group of prime order.
protocol EllipticCurve: Sendable {
    /// The coordinates.
    associatedtype Field: PrimeField
    /// The integers modulo the order of the group.
    associatedtype Scalar: ScalarField
    /// The coefficient b.
    static var b: Field { get }
    /// The generator.
    static var generator: AffinePoint<Field> { get }
    /// The order of the group as a coordinate.
    static var order: Field { get }
    /// The field's prime minus the order n of the group, big-endian. If r is below it, the coordinate r + n has the
    /// same remainder as r.
    static var primeLessOrder: [UInt8] { get }
}

extension EllipticCurve {
    /// Whether a point is on the curve; infinity is not.
    static func contains(_ point: AffinePoint<Field>) -> Bool {
        let x3 = point.x.squared * point.x
        return point.y.squared == x3 - point.x.doubled - point.x + b
    }
}
