/// The parts of a simulation in time that have random sequences of their own.
///
/// So a change of one setting, such as how values are withheld, does not change what the users do.
enum RandomPurpose: UInt64 {
    case calendar = 0x11
    case conversion
    case user
    case privacy
    case postback
    case delivery
    case losing
    case relay
    case reengagement
    case storeCustomer
    case storeDelivery
}

extension SeededRandom {
    /// The random sequence of one part of a simulation.
    ///
    /// - Parameter stream: The number of the conversion, postback or the like.
    init(seed: UInt64, _ purpose: RandomPurpose, stream: UInt64) {
        self.init(seed: seed ^ (purpose.rawValue << 56), stream: stream)
    }

    /// A length of time within bounds, both included; all equally likely.
    mutating func length(_ bounds: ClosedRange<Milliseconds>) -> Milliseconds {
        let width = bounds.upperBound.count - bounds.lowerBound.count
        return bounds.lowerBound + Milliseconds(Int64(below(Int(width) + 1)))
    }
}
