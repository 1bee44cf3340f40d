/// The inverses of many values by one inversion, for three products each (Montgomery's trick).
///
/// Every value is handed over twice: from the last to the first, then, after `invert`, from the first to the last. The
/// products run through every fourth value, since four chains that do not wait for each other keep the processor busy.
///
/// Source: P. L. Montgomery, "Speeding the Pollard and Elliptic Curve Methods of Factorization", 1987.
struct SharedInversion<Field: PrimeField>: ~Copyable {
    /// At each place the product of its value and the later ones of its chain; after `invert` the inverse of that.
    private let products: UnsafeMutableBufferPointer<Field>

    private static var chains: Int { 4 }

    init(capacity: Int) {
        products = .allocate(capacity: capacity + Self.chains)
        products.initialize(repeating: .one)
    }

    deinit {
        products.deallocate()
    }

    /// Begins anew, with so many values.
    func start(count: Int) {
        for place in count..<count + Self.chains { products[place] = .one }
    }

    /// Takes a value, which must not be 0.
    @inline(__always)
    func take(_ value: Field, at place: Int) {
        products[place] = products[place &+ Self.chains] * value
    }

    /// Inverts what each chain came to.
    func invert() {
        let low = products[0] * products[1]
        let high = products[2] * products[3]
        let inverse = (low * high).quickInverse
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
