/// The parent of tasks that outlive the call that starts them.
///
/// All of them are children of one task. So none is left when `close` returns.
package final class BackgroundTasks: Sendable {
    private enum Message: Sendable {
        case start(@Sendable () async -> Void)
        case cancelAll
    }

    private let messages: AsyncStream<Message>.Continuation
    private let parent: Task<Void, Never>

    /// Starts without tasks.
    package init() {
        let (stream, messages) = AsyncStream.makeStream(of: Message.self)
        self.messages = messages
        parent = Task {
            await withDiscardingTaskGroup { group in
                for await message in stream {
                    switch message {
                    case .start(let body): group.addTask { await body() }
                    case .cancelAll: group.cancelAll()
                    }
                }
            }
        }
    }

    deinit {
        messages.finish()
    }

    /// Starts a task.
    ///
    /// - Returns: False if `close` was called before. The body does not run then.
    @discardableResult
    package func start(_ body: @escaping @Sendable () async -> Void) -> Bool {
        if case .enqueued = messages.yield(.start(body)) { true } else { false }
    }

    /// Starts a task, and waits for its value for some time.
    ///
    /// - Returns: The value; nil if it did not come in time, and the task goes on then.
    package func value<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let (values, value) = AsyncStream.makeStream(of: Value.self)
        let isStarted = start { value.yield(await body()) }
        return isStarted ? await values.first(within: limit) : nil
    }

    /// Refuses new tasks, and waits until all are ended.
    ///
    /// - Parameter cancelling: Whether the tasks are cancelled.
    package func close(cancelling: Bool) async {
        if cancelling { messages.yield(.cancelAll) }
        messages.finish()
        await parent.value
    }
}
