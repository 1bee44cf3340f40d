import Dispatch
import Synchronization

/// The jobs of one connection thread, first in, first out.
final class JobQueue: Sendable {
    /// A job with the executor that keeps it: the executor may not go away while one of its jobs runs.
    struct Entry: Sendable {
        let job: UnownedJob
        let executor: ConnectionThread
    }

    private let entries = Mutex<[Entry]>([])
    /// Counts the entries, and one more for the end.
    private let signal = DispatchSemaphore(value: 0)

    /// Appends a job and wakes the thread.
    func push(_ entry: Entry) {
        entries.withLock { $0.append(entry) }
        signal.signal()
    }

    /// Tells the thread to end; called when no executor is left, hence no entry either.
    func finish() {
        signal.signal()
    }

    /// Waits for the next job; nil at the end.
    func next() -> Entry? {
        signal.wait()
        return entries.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
