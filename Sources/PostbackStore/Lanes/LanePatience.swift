import Synchronization

/// How many batches may wait for a lane that another server holds.
///
/// A batch that waits for its lane keeps its connection. If there are more lanes than connections, waiting batches could
/// take all connections, and batches of free lanes would wait too. So one connection is left for batches that do not wait:
/// they give it back at once if their lane is held, and try again later.
final class LanePatience: Sendable {
    private let waiting = Mutex(0)

    /// Whether one more batch may wait; if so, it must call `leave`.
    ///
    /// - Parameters:
    ///   - lanes: The number of lanes.
    ///   - connections: The number of connections for batches.
    func enter(lanes: Int, connections: Int) -> Bool {
        waiting.withLock { waiting in
            // With a connection for each lane, no lane can take that of another one.
            guard lanes <= connections || waiting < connections - 1 else { return false }
            waiting += 1
            return true
        }
    }

    /// A batch that was allowed to wait has ended.
    func leave() {
        waiting.withLock { $0 -= 1 }
    }
}
