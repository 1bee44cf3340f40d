import AdAttribution

/// The postback and the conversion value of each delivery.
///
/// This part of a simulation is computed as a whole, because a later delivery depends on those before it.
struct DeliveryPlan: Sendable {
    /// One delivery.
    struct Delivery: Sendable {
        /// The number of the postback, from 0 in the order of first deliveries.
        let postback: UInt32
        /// The value's rank among the values of its kind, from 0; −1 is none.
        let step: Int8
        /// Whether the value is of the other kind than the postback's own.
        let isOther: Bool

        fileprivate init(postback: Int, step: Int, isOther: Bool = false) {
            self.postback = UInt32(truncatingIfNeeded: postback)
            self.step = Int8(truncatingIfNeeded: step)
            self.isOther = isOther
        }
    }

    private enum Kind {
        case first, duplicate, raise, conflict
    }

    /// The deliveries in order.
    private(set) var deliveries: [Delivery] = []
    /// The number of duplicates.
    private(set) var duplicates = 0
    /// The number of raises.
    private(set) var raises = 0
    /// The number of deliveries with a value of the other kind.
    private(set) var conflicts = 0

    /// The step of no value, below every value.
    private static let none = -1

    private let configuration: PostbackSimulator.Configuration
    private var random: SeededRandom
    /// The highest step that each postback was delivered with so far.
    private var offered: [Int8] = []
    /// The highest possible step of each postback.
    private var highest: [Int8] = []
    /// The number of postbacks whose value can still be raised.
    private var raisable = 0
    /// The postbacks that can be delivered with a value of the other kind.
    private var conflictable: [UInt32] = []
    private var left: (duplicates: Int, raises: Int, conflicts: Int)

    /// Chooses the deliveries for a valid configuration.
    init(_ configuration: PostbackSimulator.Configuration) {
        self.configuration = configuration
        random = SeededRandom(seed: configuration.seed)
        left = (configuration.duplicateCount, configuration.raiseCount, configuration.conflictCount)
        deliveries.reserveCapacity(configuration.count)
        for remaining in (1...configuration.count).reversed() {
            switch kind(remaining) {
            case .first: appendFirst(rate: configuration.conversionValueRate)
            case .duplicate: appendDuplicate()
            case .raise: appendRaise()
            case .conflict: appendConflict()
            }
        }
        guard configuration.isShuffled else { return }
        for index in deliveries.indices.dropFirst().reversed() {
            deliveries.swapAt(index, random.below(index + 1))
        }
    }

    /// The kind of the next delivery.
    ///
    /// A kind is as likely as its share of the remaining deliveries.
    private mutating func kind(_ remaining: Int) -> Kind {
        guard !offered.isEmpty else { return .first }
        switch random.below(remaining) {
        case ..<left.duplicates: return .duplicate
        case ..<(left.duplicates + left.raises): return .raise
        case ..<(left.duplicates + left.raises + left.conflicts): return .conflict
        default: return .first
        }
    }

    private mutating func appendFirst(rate: Double) {
        let traits = PostbackTraits(UInt32(truncatingIfNeeded: offered.count), configuration)
        let highest = traits.valueKind.highest
        // A first delivery never has the highest value, so each postback with a value can be raised at least once.
        let step = highest > 0 && random.chance(rate) ? random.below(highest) : Self.none
        deliveries.append(Delivery(postback: offered.count, step: step))
        if traits.canConflict && step >= 0 { conflictable.append(UInt32(truncatingIfNeeded: offered.count)) }
        if step < highest { raisable += 1 }
        offered.append(Int8(step))
        self.highest.append(Int8(highest))
    }

    private mutating func appendDuplicate() {
        let postback = random.below(offered.count)
        let highest = Int(offered[postback])
        let step = random.chance(0.7) ? highest : random.below(highest + 2) + Self.none
        deliveries.append(Delivery(postback: postback, step: step))
        left.duplicates -= 1
        duplicates += 1
    }

    private mutating func appendRaise() {
        let start = random.below(offered.count)
        // No postback so far can be raised, so a raise must wait for a new postback.
        guard raisable > 0 else { return appendFirst(rate: 1) }
        let candidates = [start..<offered.count, 0..<start].joined()
        guard let postback = candidates.first(where: { offered[$0] < highest[$0] }) else { return }
        let step = Int(offered[postback]) + 1 + random.below(Int(highest[postback] - offered[postback]))
        deliveries.append(Delivery(postback: postback, step: step))
        offered[postback] = Int8(step)
        if offered[postback] == highest[postback] { raisable -= 1 }
        left.raises -= 1
        raises += 1
    }

    private mutating func appendConflict() {
        guard !conflictable.isEmpty else { return appendFirst(rate: 1) }
        let postback = Int(conflictable[random.below(conflictable.count)])
        // The other kind has three coarse values if the postback's own kind is fine, else 64 fine ones.
        let step = random.below(highest[postback] == 2 ? 64 : 3)
        deliveries.append(Delivery(postback: postback, step: step, isOther: true))
        left.conflicts -= 1
        conflicts += 1
    }
}
