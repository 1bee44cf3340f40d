/// SplitMix64, a random sequence that depends on its seed only, on every machine and with every toolchain.
///
/// Not for secrets. The standard library's generator has no seed, and its way to choose from a range may change, so
/// both are written here. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", and Vigna's
/// `splitmix64.c`.
struct SeededRandom: Sendable {
    private var state: UInt64

    /// The sequence of a seed.
    init(seed: UInt64) {
        state = seed
    }

    /// One of many independent sequences of a seed.
    init(seed: UInt64, stream: UInt64) {
        // Mixed twice: states that differ by a multiple of the increment would give the same sequence, shifted.
        state = Self.mix(Self.mix(seed &+ Self.increment) ^ stream)
    }

    /// The next 64 bits.
    mutating func next() -> UInt64 {
        state &+= Self.increment
        return Self.mix(state)
    }

    /// An integer from 0 to `bound` − 1, all equally likely; 0 if `bound` is not positive.
    mutating func below(_ bound: Int) -> Int {
        guard bound > 1 else { return 0 }
        let range = UInt64(bound)
        // Lemire's method: a few low products would make some results more likely, so they are not used.
        let threshold = (0 &- range) % range
        while true {
            let product = next().multipliedFullWidth(by: range)
            if product.low >= threshold { return Int(product.high) }
        }
    }

    /// A number from 0 up to, but not including, 1.
    mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// True with the given probability, 0…1.
    mutating func chance(_ share: Double) -> Bool {
        unit() < share
    }

    private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
