import Synchronization

/// Counts answers as they come, from many tasks.
final class AnswerCount: Sendable {
    private let counted = Mutex(0)

    /// How many there are now.
    var count: Int { counted.withLock { $0 } }

    /// One more; returns how many there are now.
    func increment() -> Int {
        counted.withLock { count in
            count += 1
            return count
        }
    }
}
