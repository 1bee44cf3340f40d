@testable import PostbackIngest

/// A number that waits in a queue, and whoever waits for its result.
struct WaitingNumber: CommitQueueItem {
    typealias Completion = @Sendable (Result<Int, any Error>) -> Void

    let number: Int
    let start = MonotonicTime.now
    var client = ClientPresence()
    let completion: Completion

    func hasLeft(at now: MonotonicTime) -> Bool { client.hasLeft(now.duration(since: start)) }
}

extension CommitQueue where Item == WaitingNumber, Output == Int {
    /// A queue that commits numbers and gives each its own result.
    convenience init(
        lanes: Int, capacity: Int, maximumBatch: Int, deadline: Duration = .seconds(3_600),
        commit: @escaping @Sendable (_ lane: Int, _ numbers: [Int]) async -> [Result<Int, any Error>]
    ) {
        self.init(lanes: lanes, capacity: capacity, maximumBatch: maximumBatch, deadline: deadline) { lane, items in
            await commit(lane, items.map(\.number))
        } answer: { items, results in
            precondition(items.count == results.count, "each item has one result")
            for (item, result) in zip(items, results) { item.completion(result) }
        }
    }

    /// Hands a number in; a refusal is a result too.
    func submit(
        _ number: Int, lane: Int, client: ClientPresence = ClientPresence(),
        completion: @escaping WaitingNumber.Completion
    ) {
        let refusal = submit(WaitingNumber(number: number, client: client, completion: completion), lane: lane)
        if let refusal { completion(.failure(refusal)) }
    }

    /// Hands a number in and waits for its result.
    func submit(_ number: Int, lane: Int) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            submit(number, lane: lane) { continuation.resume(with: $0) }
        }
    }
}
