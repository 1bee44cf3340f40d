import DequeModule
import Dispatch
import Synchronization

/// The jobs of one connection thread, first in, first out.
final class JobQueue: Sendable {
    /// A job and its executor.
    ///
    /// The reference keeps the executor alive while its job runs.
    struct Entry: Sendable {
        let job: UnownedJob
        let executor: ConnectionThread
    }

    private let entries = Mutex(Deque<Entry>())
    /// Counts the entries.
    ///
    /// `finish` adds one more.
    private let signal = DispatchSemaphore(value: 0)

    /// Appends a job and wakes the thread.
    func push(_ entry: Entry) {
        entries.withLock { $0.append(entry) }
        signal.signal()
    }

    /// Tells the thread to end.
    ///
    /// It is called when the executor is freed, so no entry is left.
    func finish() {
        signal.signal()
    }

    /// Waits for the next job; nil after `finish`.
    func next() -> Entry? {
        signal.wait()
        return entries.withLock { $0.popFirst() }
    }
}
