import PostgresClient
import Synchronization
import Testing

@Suite("Tasks that outlive the call that starts them")
struct BackgroundTasksTests {
    private let ended = Shared(0)

    private func end() { ended.value.withLock { $0 += 1 } }

    private var endedCount: Int { ended.value.withLock { $0 } }

    @Test("All tasks have run and ended when it is closed")
    func ends() async {
        let tasks = BackgroundTasks()
        for _ in 0..<100 {
            tasks.start {
                await Task.yield()
                end()
            }
        }
        await tasks.close(cancelling: false)
        #expect(endedCount == 100)
    }

    @Test("Tasks that would never end are cancelled if it is closed so")
    func cancels() async {
        let tasks = BackgroundTasks()
        for _ in 0..<10 {
            tasks.start {
                while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
                end()
            }
        }
        await tasks.close(cancelling: true)
        #expect(endedCount == 10)
    }

    @Test("A task that comes after the close is refused")
    func refused() async {
        let tasks = BackgroundTasks()
        await tasks.close(cancelling: false)
        #expect(!tasks.start { end() })
        #expect(await tasks.value(within: .seconds(3_600)) { 1 } == nil)
        await tasks.close(cancelling: true)
        #expect(endedCount == 0)
    }

    @Test("A value is waited for as long as is said, and the task goes on if it does not come")
    func value() async {
        let tasks = BackgroundTasks()
        #expect(await tasks.value(within: .seconds(3_600)) { 7 } == 7)
        let (stream, gate) = AsyncStream.makeStream(of: Void.self)
        let value = await tasks.value(within: .milliseconds(1)) {
            for await _ in stream {}
            end()
            return 7
        }
        #expect(value == nil && endedCount == 0)
        gate.finish()
        await tasks.close(cancelling: false)
        #expect(endedCount == 1)
    }
}
