import Synchronization
import Testing

@testable import PostbackIngest

@Suite("The commit queue")
struct CommitQueueTests {
    private typealias Queue = CommitQueue<WaitingNumber, Int>

    private struct Refused: Error {}

    /// Everything that was added, in order.
    private final class Record<Element: Sendable>: Sendable {
        private let elements = Mutex<[Element]>([])

        var all: [Element] { elements.withLock { $0 } }

        func append(_ element: Element) {
            elements.withLock { $0.append(element) }
        }
    }

    /// A queue that answers each item with the item, and whose lane 0 is held by the gate.
    private func heldQueue(
        _ gate: CommitGate, lanes: Int = 2, capacity: Int = 100, maximumBatch: Int = 10,
        deadline: Duration = .seconds(3_600), batches: Record<[Int]> = Record()
    ) -> Queue {
        Queue(lanes: lanes, capacity: capacity, maximumBatch: maximumBatch, deadline: deadline) { lane, items in
            if lane == 0 { await gate.pass() }
            batches.append(items)
            return items.map { .success($0) }
        }
    }

    /// Runs the queue beside the body, then drains it.
    private func run(_ queue: Queue, _ body: () async throws -> Void) async throws {
        async let running: Void = queue.run()
        try await body()
        queue.drain()
        await running
    }

    private func refusal(_ result: Result<Int, any Error>?) -> CommitError? {
        guard case .failure(let error) = result else { return nil }
        return error as? CommitError
    }

    @Test("Items that arrive during a commit are the next batch, in order, at most the maximum at a time")
    func gathering() async throws {
        let gate = CommitGate()
        let batches = Record<[Int]>()
        let answers = Record<Int?>()
        let queue = heldQueue(gate, lanes: 1, maximumBatch: 4, batches: batches)
        try await run(queue) {
            queue.submit(0, lane: 0) { answers.append(try? $0.get()) }
            await gate.holdsOne()
            for item in 1...9 { queue.submit(item, lane: 0) { answers.append(try? $0.get()) } }
            #expect(queue.depth == 9)
            #expect(answers.all.isEmpty)
            gate.open()
        }
        #expect(batches.all == [[0], [1, 2, 3, 4], [5, 6, 7, 8], [9]])
        #expect(answers.all == Array(0...9))
        #expect(queue.depth == 0)
    }

    @Test("A lane whose commit is blocked does not make another lane wait, however often")
    func independence() async throws {
        let gate = CommitGate()
        let queue = heldQueue(gate, lanes: 3)
        try await run(queue) {
            async let held = queue.submit(-1, lane: 0)
            await gate.holdsOne()
            queue.submit(-2, lane: 0) { _ in }
            for item in 0..<200 {
                let answer = try await queue.submit(item, lane: 1 + item % 2)
                #expect(answer == item)
            }
            #expect(queue.depth(of: 0) == 1)
            #expect(queue.depth(of: 1) == 0)
            #expect(queue.depth == 1)
            gate.open()
            let late = try await held
            #expect(late == -1)
        }
    }

    @Test("A full lane refuses at once, while another lane takes items")
    func overflow() async throws {
        let gate = CommitGate()
        let batches = Record<[Int]>()
        // Five for two lanes: three each.
        let queue = heldQueue(gate, lanes: 2, capacity: 5, batches: batches)
        try await run(queue) {
            queue.submit(0, lane: 0) { _ in }
            await gate.holdsOne()
            for item in 1...3 { queue.submit(item, lane: 0) { _ in } }
            let answers = Record<Result<Int, any Error>>()
            queue.submit(4, lane: 0) { answers.append($0) }
            #expect(answers.all.map(refusal) == [.overloaded])
            await #expect(throws: CommitError.overloaded) { try await queue.submit(5, lane: 0) }
            let answer = try await queue.submit(6, lane: 1)
            #expect(answer == 6)
            #expect(queue.depth(of: 0) == 3)
            gate.open()
            // The lane takes items again as soon as there is room.
            while refusal(await result(of: 7, in: queue)) == .overloaded { await Task.yield() }
        }
        #expect(batches.all == [[6], [0], [1, 2, 3], [7]])
    }

    @Test("While a commit is blocked, overdue items are refused, those of the batch under way too, and each once")
    func overdue() async throws {
        let gate = CommitGate()
        let batches = Record<[Int]>()
        let queue = heldQueue(gate, lanes: 1, capacity: 3, deadline: .milliseconds(1), batches: batches)
        try await run(queue) {
            // The gate is closed until all four have their answer.
            async let first = result(of: 0, in: queue)
            await gate.holdsOne()
            async let second = result(of: 1, in: queue)
            async let third = result(of: 2, in: queue)
            async let fourth = result(of: 3, in: queue)
            for answer in await [first, second, third, fourth] { #expect(refusal(answer) == .late) }
            #expect(queue.depth == 0)
            gate.open()
        }
        #expect(batches.all == [[0]])
    }

    @Test("An item whose client has left is removed before its batch, and takes no room any more")
    func left() async throws {
        let gate = CommitGate()
        let batches = Record<[Int]>()
        let queue = heldQueue(gate, lanes: 1, capacity: 2, batches: batches)
        let client = ClientPresence()
        try await run(queue) {
            queue.submit(0, lane: 0, client: client) { _ in }
            await gate.holdsOne()
            let removed = Record<CommitError?>()
            queue.submit(1, lane: 0, client: client) { removed.append(refusal($0)) }
            queue.submit(2, lane: 0) { _ in }
            #expect(queue.depth == 2)
            client.leave()
            while removed.all.isEmpty { await Task.yield() }
            #expect(removed.all == [.late])
            #expect(queue.depth == 1)
            queue.submit(3, lane: 0) { _ in }
            gate.open()
        }
        #expect(batches.all == [[0], [2, 3]])
    }

    @Test("A client that has closed its side is answered, unless it has waited for a second")
    func halfClosed() {
        let client = ClientPresence()
        client.closeInput()
        #expect(!client.hasLeft(.milliseconds(999)))
        #expect(client.hasLeft(.seconds(1)))
        client.leave()
        #expect(client.hasLeft(.zero))
    }

    private func result(of item: Int, in queue: Queue) async -> Result<Int, any Error> {
        do { return .success(try await queue.submit(item, lane: 0)) } catch { return .failure(error) }
    }

    @Test("Each item gets its own result, and one that fails fails alone")
    func ownResults() async throws {
        let queue = Queue(lanes: 1, capacity: 1_000, maximumBatch: 500) { _, items in
            items.map { $0 % 7 == 0 ? .failure(Refused()) : .success($0 * 10) }
        }
        try await run(queue) {
            await withDiscardingTaskGroup { group in
                for item in 1...500 {
                    group.addTask {
                        do {
                            let answer = try await queue.submit(item, lane: 0)
                            #expect(answer == item * 10 && item % 7 != 0)
                        } catch {
                            #expect(error is Refused && item % 7 == 0)
                        }
                    }
                }
            }
        }
    }

    @Test("A commit gets the lane of its items")
    func laneOfACommit() async throws {
        let seen = Record<[Int]>()
        let queue = Queue(lanes: 4, capacity: 400, maximumBatch: 50) { lane, items in
            seen.append([lane] + items)
            return items.map { .success($0) }
        }
        for item in 0..<40 { queue.submit(item, lane: item % 4) { _ in } }
        try await run(queue) {}
        let sorted = seen.all.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(sorted == (0..<4).map { lane in [lane] + (0..<10).map { lane + $0 * 4 } })
    }

    @Test("Items without a result fail, and surplus results are ignored")
    func wrongNumberOfResults() async throws {
        let queue = Queue(lanes: 2, capacity: 20, maximumBatch: 10) { lane, items in
            lane == 0 ? [.success(items[0])] : items.map { .success($0) } + [.success(-1), .failure(Refused())]
        }
        let tooFew = Record<Int?>()
        let tooMany = Record<Int?>()
        for item in 1...3 {
            queue.submit(item, lane: 0) { tooFew.append(try? $0.get()) }
            queue.submit(item, lane: 1) { tooMany.append(try? $0.get()) }
        }
        try await run(queue) {}
        #expect(tooFew.all == [1, nil, nil])
        #expect(tooMany.all == [1, 2, 3])
    }

    @Test("An item is committed even if its caller is cancelled, while it is committed or while it waits")
    func cancelledCaller() async throws {
        let gate = CommitGate()
        let batches = Record<[Int]>()
        let queue = Queue(lanes: 1, capacity: 10, maximumBatch: 10) { _, items in
            await gate.pass()
            batches.append(Task.isCancelled ? [] : items)
            return items.map { .success($0) }
        }
        try await run(queue) {
            let first = Task { try await queue.submit(1, lane: 0) }
            await gate.holdsOne()
            let second = Task { try await queue.submit(2, lane: 0) }
            while queue.depth == 0 { await Task.yield() }
            first.cancel()
            second.cancel()
            gate.open()
            let values = [try await first.value, try await second.value]
            #expect(values == [1, 2])
        }
        #expect(batches.all == [[1], [2]])
    }

    @Test("A drain commits everything that was taken, and refuses everything else")
    func drainUnderLoad() async {
        let committed = Record<Int>()
        let answered = Record<Int>()
        let queue = Queue(lanes: 3, capacity: 30, maximumBatch: 8) { _, items in
            for item in items { committed.append(item) }
            await Task.yield()
            return items.map { .success($0) }
        }
        async let running: Void = queue.run()
        await withDiscardingTaskGroup { group in
            for client in 0..<24 {
                group.addTask {
                    // Each client goes on until it is refused.
                    for item in stride(from: client, to: .max, by: 24) {
                        do {
                            let answer = try await queue.submit(item, lane: item % 3)
                            #expect(answer == item)
                            answered.append(answer)
                        } catch {
                            #expect(error as? CommitError == .draining)
                            break
                        }
                        if client == 0, item >= 24 * 50 { queue.drain() }
                    }
                }
            }
        }
        await running
        #expect(answered.all.count > 50)
        #expect(answered.all.sorted() == committed.all.sorted())
        #expect(Set(committed.all).count == committed.all.count)
        #expect(queue.depth == 0)
        await #expect(throws: CommitError.draining) { try await queue.submit(0, lane: 0) }
    }

    @Test("A drain waits for a blocked commit, and for the items that wait after it")
    func drainBehindAHeldCommit() async throws {
        let gate = CommitGate()
        let answers = Record<Int?>()
        let queue = heldQueue(gate)
        try await run(queue) {
            queue.submit(1, lane: 0) { answers.append(try? $0.get()) }
            await gate.holdsOne()
            queue.submit(2, lane: 0) { answers.append(try? $0.get()) }
            queue.drain()
            await #expect(throws: CommitError.draining) { try await queue.submit(3, lane: 0) }
            await #expect(throws: CommitError.draining) { try await queue.submit(3, lane: 1) }
            #expect(answers.all.isEmpty)
            gate.open()
        }
        #expect(answers.all == [1, 2])
    }

    @Test("Items that come before the queue runs are its first batch, even if it was drained before")
    func beforeRunning() async {
        let batches = Record<[Int]>()
        let queue = Queue(lanes: 1, capacity: 10, maximumBatch: 10) { _, items in
            batches.append(items)
            return items.map { .success($0) }
        }
        for item in 1...3 { queue.submit(item, lane: 0) { _ in } }
        queue.drain()
        await queue.run()
        #expect(batches.all == [[1, 2, 3]])
    }

    @Test("A queue whose task is cancelled drains")
    func cancelledRun() async throws {
        let queue = Queue(lanes: 2, capacity: 10, maximumBatch: 10) { _, items in items.map { .success($0) } }
        let running = Task { await queue.run() }
        #expect(try await queue.submit(1, lane: 1) == 1)
        running.cancel()
        await running.value
        await #expect(throws: CommitError.draining) { try await queue.submit(2, lane: 1) }
    }
}
