package import NIOCore

/// Runs tasks on an event loop (SE-0417).
///
/// NIO's event loops are executors of actors only.
package final class EventLoopTaskExecutor: TaskExecutor {
    private let loop: any EventLoop

    /// Takes the event loop, which must not be shut down while tasks run on it.
    package init(_ loop: any EventLoop) {
        self.loop = loop
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
