import AdAttribution

/// A batch folded by key, to be written in rounds: each round takes at most one delivery of every key, in order of
/// arrival, because one statement must not touch a row twice.
///
/// Nearly always there is one round. After each, `settle` answers without SQL what can no longer change anything, so
/// that fifty deliveries of one postback cost one round too.
struct PendingDeliveries {
    /// A delivery and what it is counted under.
    typealias Offer = (key: PostbackKeyColumns, delivery: PostbackDelivery)

    private var queues: [PostbackKeyColumns: ArraySlice<Int>] = [:]
    private let deliveries: [PostbackDelivery]
    private(set) var outcomes: [DeliveryOutcome]
    /// Conflicts that were settled without SQL and still have to be added to their rows.
    private(set) var unwrittenConflicts: [PostbackKeyColumns: Int] = [:]

    init(_ deliveries: [PostbackDelivery]) {
        self.deliveries = deliveries
        outcomes = Array(repeating: .duplicate, count: deliveries.count)
        var places: [PostbackKeyColumns: [Int]] = [:]
        for (index, delivery) in deliveries.enumerated() {
            places[delivery.key, default: []].append(index)
        }
        queues = places.mapValues { $0[...] }
    }

    /// Whether no key is there twice.
    var isOneRound: Bool { queues.count == deliveries.count }

    /// The first open delivery of each key, sorted by key; empty when all is settled.
    func nextRound() -> [Offer] {
        queues.compactMap { key, queue in queue.first.map { (key, deliveries[$0]) } }
            .sorted { $0.key < $1.key }
    }

    /// Takes in what a round did, by key; keys that are not named did not change.
    mutating func settle(_ results: [PostbackKeyColumns: DeliveryOutcome]) {
        for (key, queue) in queues {
            guard let first = queue.first else { continue }
            let outcome = results[key] ?? .duplicate
            outcomes[first] = outcome
            var open: [Int] = []
            for index in queue.dropFirst() {
                switch Self.foregone(deliveries[index].offered, after: deliveries[first].offered, outcome) {
                case .conflict?:
                    outcomes[index] = .conflict
                    unwrittenConflicts[key, default: 0] += 1
                case let settled?: outcomes[index] = settled
                case nil: open.append(index)
                }
            }
            queues[key] = open.isEmpty ? nil : open[...]
        }
    }

    /// The outcome of a later delivery of the same key where it follows from an earlier one's, else nil.
    ///
    /// An equal offer meets the same row: a conflict again, or nothing new. No value never changes a row. A lower
    /// value of the kind that the row holds does not either.
    private static func foregone(
        _ later: ReportedConversionValue, after earlier: ReportedConversionValue, _ outcome: DeliveryOutcome
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
