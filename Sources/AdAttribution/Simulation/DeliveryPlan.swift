/// Which postback each delivery carries, and with which conversion value: the part of a simulation that is drawn as
/// a whole, since a redelivery hangs on what came before it.
struct DeliveryPlan: Sendable {
    /// One delivery.
    struct Delivery: Sendable {
        /// The number of the postback, from 0 in the order of first deliveries.
        let postback: UInt32
        private let value: Int8

        fileprivate init(postback: Int, value: Int) {
            self.postback = UInt32(truncatingIfNeeded: postback)
            self.value = Int8(truncatingIfNeeded: value)
        }

        /// The conversion value, if this delivery has one.
        var conversionValue: ConversionValue? { ConversionValue(Int64(value)) }
    }

    private enum Kind {
        case first, duplicate, raise
    }

    /// The deliveries in order.
    private(set) var deliveries: [Delivery] = []

    /// Below every value: no value at all.
    private static let none = -1
    private static let highest = 63

    private var random: SeededRandom
    /// The highest value that was offered so far, for each postback.
    private var offered: [Int8] = []
    private var duplicatesLeft: Int
    private var raisesLeft: Int

    /// Draws the deliveries of a configuration that was validated.
    init(_ configuration: PostbackSimulator.Configuration) {
        random = SeededRandom(seed: configuration.seed)
        duplicatesLeft = configuration.duplicateCount
        raisesLeft = configuration.raiseCount
        deliveries.reserveCapacity(configuration.count)
        offered.reserveCapacity(configuration.count - duplicatesLeft - raisesLeft)
        for left in (1...configuration.count).reversed() {
            switch kind(left: left) {
            case .first: appendFirst(configuration.conversionValueRate)
            case .duplicate: appendDuplicate()
            case .raise: appendRaise()
            }
        }
        guard configuration.isShuffled else { return }
        for index in deliveries.indices.dropFirst().reversed() {
            deliveries.swapAt(index, random.below(index + 1))
        }
    }

    /// What the next of the deliveries that are left is: each kind as likely as there are some of it left.
    private mutating func kind(left: Int) -> Kind {
        guard !offered.isEmpty else { return .first }
        switch random.below(left) {
        case ..<duplicatesLeft: return .duplicate
        case ..<(duplicatesLeft + raisesLeft): return .raise
        default: return .first
        }
    }

    private mutating func appendFirst(_ conversionValueRate: Double) {
        // 63 is left to raises, so that each postback can be raised at least once.
        let value = random.chance(conversionValueRate) ? random.below(Self.highest) : Self.none
        deliveries.append(Delivery(postback: offered.count, value: value))
        offered.append(Int8(value))
    }

    private mutating func appendDuplicate() {
        let postback = random.below(offered.count)
        let highest = Int(offered[postback])
        let value = random.chance(0.7) ? highest : random.below(highest + 2) + Self.none
        deliveries.append(Delivery(postback: postback, value: value))
        duplicatesLeft -= 1
    }

    private mutating func appendRaise() {
        let start = random.below(offered.count)
        let candidates = [start..<offered.count, 0..<start].joined()
        guard let postback = candidates.first(where: { Int(offered[$0]) < Self.highest }) else {
            // Every postback so far is at 63: a raise must wait for the next one, which there is by `validate`.
            return appendFirst(1)
        }
        let value = Int(offered[postback]) + 1 + random.below(Self.highest - Int(offered[postback]))
        deliveries.append(Delivery(postback: postback, value: value))
        offered[postback] = Int8(value)
        raisesLeft -= 1
    }
}
