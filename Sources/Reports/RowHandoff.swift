import Dispatch
import Synchronization

/// Passes parts from a thread that may be blocked to a task that may not.
///
/// One part waits at most: the thread stops until the task has taken it. So a slow reader slows the writer down, and
/// memory stays the same.
final class RowHandoff<Part: Sendable>: Sendable {
    /// Why the writer must stop.
    enum Stop: Error {
        /// The reader has gone.
        case left
        /// The reader has not taken a part in time.
        case tooSlow
    }

    private struct State {
        var waiting: Part?
        var reader: CheckedContinuation<Part?, any Error>?
        var end: Result<Void, any Error>?
        var hasLeft = false
        var hasBegun = false
    }

    private let state = Mutex(State())
    /// Signalled when the reader takes a part, and when it leaves.
    private let taken = DispatchSemaphore(value: 0)

    /// Whether a part was passed.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Passes a part, and blocks the thread until the reader has taken it.
    ///
    /// - Throws: `Stop`.
    func pass(_ part: Part, within limit: Duration) throws(Stop) {
        let reader = state.withLock { state in
            let reader = state.hasLeft ? nil : state.reader
            state.reader = nil
            state.hasBegun = true
            if reader == nil { state.waiting = part }
            return reader
        }
        if let reader { return reader.resume(returning: part) }
        let nanoseconds = Int(limit.components.seconds) * 1_000_000_000
        let isInTime = taken.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success
        guard !state.withLock({ $0.hasLeft }) else { throw .left }
        guard isInTime else { throw .tooSlow }
    }

    /// Ends it: the reader gets nil, or an error.
    func finish(_ end: Result<Void, any Error>) {
        let reader = state.withLock { state in
            defer { state.reader = nil }
            state.end = end
            return state.reader
        }
        reader?.resume(with: end.map { nil })
    }

    /// The next part; nil at the end.
    func next() async throws -> Part? {
        try await withCheckedThrowingContinuation { continuation in
            let result: Result<Part?, any Error>? = state.withLock { state in
                if let part = state.waiting {
                    state.waiting = nil
                    taken.signal()
                    return .success(part)
                }
                if let end = state.end { return end.map { nil } }
                state.reader = continuation
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    /// The reader wants no more rows, and the writer is stopped.
    func leave() {
        state.withLock { state in
            state.hasLeft = true
            state.waiting = nil
        }
        taken.signal()
    }
}
