import Synchronization
import Testing

@testable import BackgroundWork

/// What services do at intervals.
@Suite("What is repeated at intervals")
struct RepetitionTests {
    @Test("The body runs at once and again at each interval, until the task is cancelled", arguments: [true, false])
    func repeats(isAtOnce: Bool) async throws {
        let (turns, turn) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            await Repetition.run(every: .milliseconds(1), isAtOnce: isAtOnce) { turn.yield() }
            turn.finish()
        }
        var count = 0
        for await _ in turns {
            count += 1
            if count == 3 { task.cancel() }
        }
        #expect(count >= 3)
    }

    @Test("With a long interval the first body runs at once; without that, a cancelled task runs none")
    func first() async throws {
        let (turns, turn) = AsyncStream.makeStream(of: Void.self)
        let task = Task { await Repetition.run(every: .seconds(3_600)) { turn.yield() } }
        for await _ in turns { break }
        task.cancel()
        await task.value

        let count = Mutex(0)
        let late = Task { await Repetition.run(every: .seconds(3_600), isAtOnce: false) { count.withLock { $0 += 1 } } }
        late.cancel()
        await late.value
        #expect(count.withLock(\.self) == 0)
    }
}
