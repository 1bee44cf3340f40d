import PostgresClient

/// A batch of one lane on its way into the database: what is still to be written, and the results of the rest.
///
/// It does no input or output.
///
/// The whole batch is one transaction. If the database refuses a value, the batch is split into halves until the refused
/// delivery is alone, and each half is a transaction. The progress of an import is in the last transaction. After a kill
/// between the halves, those that are stored are duplicates next time.
struct LaneBatch: Sendable {
    /// The timeline on which the numbers of the deliveries' dimensions were read.
    let timeline: Timeline
    /// One result for each delivery, in the order given, once `isDone` is true.
    private(set) var results: [Result<DeliveryOutcome, any Error>]
    private let lane: Int16
    private let counted: BatchDeliveries
    /// The place in `results` of each counted delivery.
    private let places: [Int]
    private let advance: ImportAdvance?
    /// The parts of `counted` that are not written yet; the last one is written next.
    private var parts: [Range<Int>]
    private var isSplit = false
    private var transaction: BatchTransaction?

    /// Takes deliveries of a lane, and the numbers of their dimensions' rows or why there are none.
    ///
    /// - Parameters:
    ///   - timeline: The timeline on which the numbers were read.
    ///   - advance: The progress of an import that is written in the same transaction, if there is one.
    /// - Throws: With an import, the error of a delivery whose values were not refused: the progress must not pass it.
    init(
        _ deliveries: [PostbackDelivery], _ ids: [Result<DimensionIDs, any Error>], on timeline: Timeline,
        of lane: Int16, advancing advance: ImportAdvance?
    ) throws {
        var places: [Int] = []
        var numbers: [DimensionIDs] = []
        places.reserveCapacity(deliveries.count)
        numbers.reserveCapacity(deliveries.count)
        results = Array(repeating: .failure(DimensionError.missing), count: deliveries.count)
        for (place, ids) in ids.enumerated() {
            switch ids {
            case .success(let ids):
                places.append(place)
                numbers.append(ids)
            case .failure(let error):
                if advance != nil, (error as? PostgresError)?.isAboutValues != true { throw error }
                results[place] = .failure(error)
            }
        }
        // As a rule all have their numbers, and no delivery is copied.
        let counted = BatchDeliveries(
            places.count == deliveries.count ? deliveries : places.map { deliveries[$0] }, numbers)
        self.timeline = timeline
        self.lane = lane
        self.counted = counted
        self.places = places
        self.advance = advance
        parts = counted.count == 0 && advance == nil ? [] : [0..<counted.count]
    }

    /// Whether nothing is left to be written.
    var isDone: Bool { parts.isEmpty }

    /// The next transaction: the same one until it is finished or split; nil if the batch is done.
    mutating func nextTransaction() -> BatchTransaction? {
        guard let part = parts.last else { return nil }
        if let transaction { return transaction }
        let deliveries = part.count == counted.count ? counted : counted.selecting(part)
        // The part with the progress is the whole batch, or the empty one behind the halves. Before the whole batch all
        // results are failures, so it does not matter which of them are those of the part.
        let next = BatchTransaction(
            deliveries, of: lane,
            advancing: isSplit && !part.isEmpty ? nil : advance?.adding(results.dropLast(part.count)))
        transaction = next
        return next
    }

    /// The next transaction is committed.
    mutating func finish(_ outcomes: [DeliveryOutcome]) {
        transaction = nil
        guard let part = parts.popLast() else { return }
        for (index, outcome) in zip(part, outcomes) { results[places[index]] = .success(outcome) }
    }

    /// The database has refused a value of the next transaction, which has written nothing.
    ///
    /// - Returns: False if there is no delivery whose value it can be.
    mutating func split(_ error: any Error) -> Bool {
        guard let part = parts.last, !part.isEmpty else { return false }
        transaction = nil
        parts.removeLast()
        if !isSplit, advance != nil { parts.append(part.upperBound..<part.upperBound) }
        isSplit = true
        guard part.count > 1 else {
            results[places[part.lowerBound]] = .failure(error)
            return true
        }
        let middle = part.lowerBound + part.count / 2
        parts += [middle..<part.upperBound, part.lowerBound..<middle]
        return true
    }
}
