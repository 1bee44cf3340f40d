import AdAttribution

/// The deliveries of a batch in rounds.
///
/// A round has at most one delivery of each key, in order of arrival, because one statement can't decide about a row
/// twice. Almost every batch has one round. After a round, `finish` decides without SQL about deliveries that can't
/// change anything any more. So a hundred deliveries of one postback also need only one round.
struct BatchRounds {
    private let deliveries: [CountedDelivery]
    /// The deliveries that are not decided, by key, in order of arrival.
    ///
    /// Nil if no key occurs twice.
    private var open: [CountedDelivery.Key: [Int]]?
    /// Whether the only round was taken.
    private var isTaken = false
    private(set) var outcomes: [DeliveryOutcome]
    /// Deliveries that conflict as one before them did; they still have to be counted.
    private(set) var repeatedConflicts: [CountedDelivery] = []

    init(_ deliveries: [CountedDelivery]) {
        self.deliveries = deliveries
        outcomes = Array(repeating: .duplicate, count: deliveries.count)
        var keys = Set<CountedDelivery.Key>(minimumCapacity: deliveries.count)
        guard !deliveries.allSatisfy({ keys.insert($0.key).inserted }) else { return }
        open = Dictionary(grouping: deliveries.indices, by: { deliveries[$0].key })
    }

    /// Whether no key is there twice.
    var isOneRound: Bool { open == nil }

    /// The indices of the next round's deliveries in the batch; empty if all are decided.
    func nextRound() -> [Int] {
        guard let open else { return isTaken ? [] : Array(deliveries.indices) }
        return open.values.compactMap(\.first).sorted()
    }

    /// Stores the outcomes of a round.
    mutating func finish(_ round: [Int], _ results: [DeliveryOutcome]) {
        isTaken = true
        for (place, outcome) in zip(round, results) { outcomes[place] = outcome }
        guard open != nil else { return }
        for place in round {
            let key = deliveries[place].key
            var left: [Int] = []
            for later in (open?[key] ?? []).dropFirst() {
                switch RaiseRule.outcome(of: offered(later), after: offered(place), outcomes[place]) {
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
}
