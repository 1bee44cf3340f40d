import AdAttribution

/// The deliveries of a batch in rounds: a round has at most one delivery of each key, in order of arrival, since one
/// statement can't decide about a row twice.
///
/// Nearly always there is one round. After each, `settle` decides without SQL what can no longer change anything, so a
/// hundred deliveries of one postback cost one round too.
struct BatchRounds {
    private let deliveries: [CountedDelivery]
    /// The deliveries that are not decided, by key, in order of arrival.
    ///
    /// Nil while no key is there twice.
    private var open: [CountedDelivery.Key: [Int]]?
    /// Whether the only round was taken.
    private var isTaken = false
    private(set) var outcomes: [DeliveryOutcome]
    /// Deliveries that conflict as one before them did; they still have to be counted.
    private(set) var repeatedConflicts: [CountedDelivery] = []

    init(_ deliveries: [CountedDelivery]) {
        self.deliveries = deliveries
        outcomes = Array(repeating: .duplicate, count: deliveries.count)
        guard Set(deliveries.lazy.map(\.key)).count < deliveries.count else { return }
        open = Dictionary(grouping: deliveries.indices, by: { deliveries[$0].key })
    }

    /// Whether no key is there twice.
    var isOneRound: Bool { open == nil }

    /// The places of the next round's deliveries in the batch; empty when all is decided.
    func nextRound() -> [Int] {
        guard let open else { return isTaken ? [] : Array(deliveries.indices) }
        return open.values.compactMap(\.first).sorted()
    }

    /// Takes in what became of the deliveries of a round.
    mutating func settle(_ round: [Int], _ results: [DeliveryOutcome]) {
        isTaken = true
        for (place, outcome) in zip(round, results) { outcomes[place] = outcome }
        guard open != nil else { return }
        for place in round {
            let key = deliveries[place].key
            var left: [Int] = []
            for later in (open?[key] ?? []).dropFirst() {
                switch Self.outcome(of: offered(later), after: offered(place), outcomes[place]) {
                case .conflict?:
                    outcomes[later] = .conflict
                    repeatedConflicts.append(deliveries[later])
                case let settled?: outcomes[later] = settled
                case nil: left.append(later)
                }
            }
            open?[key] = left.isEmpty ? nil : left
        }
    }

    private func offered(_ place: Int) -> ReportedConversionValue {
        deliveries[place].delivery.verified.postback.conversionValue
    }

    /// The outcome of a later delivery of the same key if it follows from an earlier one's, else nil.
    ///
    /// An equal offer meets the same row: a conflict again, or nothing new. No value never changes a row. A lower
    /// value of the kind that the row holds does not either.
    private static func outcome(
        of later: ReportedConversionValue, after earlier: ReportedConversionValue, _ outcome: DeliveryOutcome
    ) -> DeliveryOutcome? {
        if later == .none { return .duplicate }
        if later == earlier { return outcome == .conflict ? .conflict : .duplicate }
        guard outcome != .conflict else { return nil }
        switch (later, earlier) {
        case (.fine(let low), .fine(let high)) where low < high: return .duplicate
        case (.coarse(let low), .coarse(let high)) where low < high: return .duplicate
        default: return nil
        }
    }
}
