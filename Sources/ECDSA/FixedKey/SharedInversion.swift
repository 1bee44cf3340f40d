/// Computes the inverses of many values with one inversion and three products for each value (Montgomery's trick).
///
/// Every value is passed twice: from the last to the first and, after `invert`, from the first to the last. There are
/// four chains of products, each for every fourth value. They do not wait for each other, so the processor can overlap
/// them.
///
/// Source: P. L. Montgomery, "Speeding the Pollard and Elliptic Curve Methods of Factorization", 1987.
struct SharedInversion<Field: PrimeField>: ~Copyable {
    /// At each place, the product of its value and the later ones of its chain.
    ///
    /// After `invert`, the inverse of that.
    private let products: UnsafeMutableBufferPointer<Field>

    private static var chains: Int { 4 }

    init(capacity: Int) {
        products = .allocate(capacity: capacity + Self.chains)
        products.initialize(repeating: .one)
    }

    deinit {
        products.deallocate()
    }

    /// Starts again with `count` values.
    func start(count: Int) {
        for place in count..<count + Self.chains { products[place] = .one }
    }

    /// Takes a value, which must not be 0.
    @inline(__always)
    func take(_ value: Field, at place: Int) {
        products[place] = products[place &+ Self.chains] * value
    }

    /// Inverts the product of each chain.
    func invert() {
        let low = products[0] * products[1]
        let high = products[2] * products[3]
        let inverse = (low * high).variableTimeInverse
        let lowInverse = inverse * high
        let highInverse = inverse * low
        (products[0], products[1]) = (lowInverse * products[1], lowInverse * products[0])
        (products[2], products[3]) = (highInverse * products[3], highInverse * products[2])
    }

    /// The inverse of the value that was taken at this place.
    @inline(__always)
    func inverse(of value: Field, at place: Int) -> Field {
        let inverse = products[place]
        let next = place &+ Self.chains
        let result = inverse * products[next]
        products[next] = inverse * value
        return result
    }
}
