import Dispatch
import Synchronization

/// Lets a test hold something on a connection's thread until it is done with it.
package final class Gate: Sendable {
    private let released = DispatchSemaphore(value: 0)
    private let isHeld = Mutex(false)

    /// Nothing is held yet.
    package init() {}

    /// Says that the thing is held.
    package func held() { isHeld.withLock { $0 = true } }

    /// Waits until the thing is held.
    package func waitUntilHeld() async throws {
        try await eventually("the thing is held") { isHeld.withLock { $0 } ? true : nil }
    }

    /// Lets the holder go on.
    package func release() { released.signal() }

    /// Blocks the holder's thread, which is a connection's own; the deadline is only there so that nothing hangs.
    ///
    /// Once released, it stays so: a transaction that is tried again goes on at once.
    package func waitForRelease() {
        if released.wait(timeout: .now() + 600) == .success { released.signal() }
    }
}
