import Dispatch
import NIOCore
import NIOEmbedded
import Synchronization

/// An event loop in virtual time that counts what is handed to it.
final class CountingEventLoop: EventLoop {
    private let loop = EmbeddedEventLoop()
    private let executed = Mutex(0)

    /// How many closures were handed over with `execute`.
    var executions: Int { executed.withLock { $0 } }

    var inEventLoop: Bool { true }
    var now: NIODeadline { loop.now }

    /// Runs what was handed over.
    func run() { loop.run() }

    func execute(_ task: @escaping @Sendable () -> Void) {
        executed.withLock { $0 += 1 }
        loop.execute(task)
    }

    func scheduleTask<T>(deadline: NIODeadline, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        loop.scheduleTask(deadline: deadline, task)
    }

    func scheduleTask<T>(in time: TimeAmount, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        loop.scheduleTask(in: time, task)
    }

    func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        loop.shutdownGracefully(queue: queue, callback)
    }
}
