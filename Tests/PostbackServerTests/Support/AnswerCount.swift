import Synchronization

/// Counts answers as they come, from many tasks.
final class AnswerCount: Sendable {
    private let count = Mutex(0)

    /// One more; returns how many there are now.
    func increment() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
