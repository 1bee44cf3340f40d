package import NIOCore

/// Where requests to destinations are made, sent and answered.
package struct SendingThreads: Sendable {
    /// Where the connections are.
    let eventLoops: any EventLoopGroup
    /// Where the tasks of senders run.
    let executor: any TaskExecutor

    /// Takes threads that are not shut down while a sender runs.
    package init(eventLoops: any EventLoopGroup, executor: any TaskExecutor) {
        self.eventLoops = eventLoops
        self.executor = executor
    }
}
