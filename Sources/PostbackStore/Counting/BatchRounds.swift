import AdAttribution

/// The deliveries of a batch in rounds.
///
/// A round has at most one delivery of each key, in order of arrival, because one statement can't decide about a row
/// twice. Almost every batch has one round. After a round, `finish` decides without SQL about deliveries that can't
/// change anything any more. So a hundred deliveries of one postback also need only one round.
struct BatchRounds {
    private let batch: BatchDeliveries
    /// The deliveries that are not decided, by key, in order of arrival.
    ///
    /// Nil if no key occurs twice.
    private var open: [StateKey: [Int]]?
    /// Whether the only round was taken.
    private var isTaken = false
    private(set) var outcomes: [DeliveryOutcome]
    /// The indices of deliveries that conflict as one before them did; they still have to be counted.
    private(set) var repeatedConflicts: [Int] = []

    init(_ batch: BatchDeliveries) {
        self.batch = batch
        outcomes = Array(repeating: .duplicate, count: batch.count)
        var keys = Set<StateKey>(minimumCapacity: batch.count)
        guard !(0..<batch.count).allSatisfy({ keys.insert(batch.key(at: $0)).inserted }) else { return }
        open = Dictionary(grouping: 0..<batch.count, by: { batch.key(at: $0) })
    }

    /// Whether no key is there twice.
    var isOneRound: Bool { open == nil }

    /// The indices of the next round's deliveries in the batch; empty if all are decided.
    func nextRound() -> [Int] {
        guard let open else { return isTaken ? [] : Array(0..<batch.count) }
        return open.values.compactMap(\.first).sorted()
    }

    /// Stores the outcomes of a round.
    mutating func finish(_ round: [Int], _ results: [DeliveryOutcome]) {
        isTaken = true
        for (place, outcome) in zip(round, results) { outcomes[place] = outcome }
        guard open != nil else { return }
        for place in round {
            let key = batch.key(at: place)
            var left: [Int] = []
            for later in (open?[key] ?? []).dropFirst() {
                switch RaiseRule.outcome(of: offered(later), after: offered(place), outcomes[place]) {
                case .conflict?:
                    outcomes[later] = .conflict
                    repeatedConflicts.append(later)
                case let settled?: outcomes[later] = settled
                case nil: left.append(later)
                }
            }
            open?[key] = left.isEmpty ? nil : left
        }
    }

    private func offered(_ place: Int) -> ReportedConversionValue {
        batch.deliveries[place].postback.conversionValue
    }
}
