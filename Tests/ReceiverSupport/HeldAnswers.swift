import Synchronization

/// Answers of a receiver that wait until a test lets them go.
package final class HeldAnswers: Sendable {
    /// Nil when they may go.
    private let waiting = Mutex<[@Sendable () -> Void]?>([])

    /// None wait yet.
    package init() {}

    /// Sends those that wait, and from now on each at once.
    package func release() {
        let answers = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for answer in answers { answer() }
    }

    /// Sends an answer when it may go.
    func add(_ answer: @escaping @Sendable () -> Void) {
        let isReleased = waiting.withLock { waiting in
            waiting?.append(answer)
            return waiting == nil
        }
        if isReleased { answer() }
    }
}
