import Synchronization

/// Lets so many in at once and no more.
final class AdmissionGate: Sendable {
    private let inside = Mutex(0)
    private let capacity: Int

    /// A gate for this many.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Whether there was room; who got in must leave.
    func enter() -> Bool {
        inside.withLock { inside in
            guard inside < capacity else { return false }
            inside += 1
            return true
        }
    }

    func leave() {
        inside.withLock { $0 -= 1 }
    }
}
