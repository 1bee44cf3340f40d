import Dispatch
import Synchronization

/// Lets a test hold something on a connection's thread until it is done with it.
final class Gate: Sendable {
    private let released = DispatchSemaphore(value: 0)
    private let isHeld = Mutex(false)

    /// Says that the thing is held.
    func held() { isHeld.withLock { $0 = true } }

    /// Waits until the thing is held.
    func waitUntilHeld() async {
        while !isHeld.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(2)) }
    }

    /// Lets the holder go on.
    func release() { released.signal() }

    /// Blocks the holder's thread, which is a connection's own.
    func waitForRelease() { released.wait() }
}
