import Synchronization

/// Limits how many callers are inside at the same time.
package final class AdmissionGate: Sendable {
    private let inside = Mutex(0)
    private let capacity: Int

    /// Makes a gate for at most `capacity` callers.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Returns whether there was room.
    ///
    /// If so, the caller must call `leave` later.
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
