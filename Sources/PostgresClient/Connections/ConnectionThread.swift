import CLibPQ
import DequeModule
import Dispatch
import Glibc
import Synchronization

/// One operating system thread that runs the jobs of one connection.
///
/// libpq blocks the thread that calls it. Swift's own threads must not be blocked. The thread ends when its executor is
/// freed, together with the connection.
final class ConnectionThread: SerialExecutor {
    private let queue = JobQueue()

    /// Starts the thread.
    ///
    /// - Throws: `connectFailed` if the system can't start a thread.
    init() throws(PostgresError) {
        var thread = pthread_t()
        // The thread references the queue and not the executor: otherwise the two would never be freed.
        let argument = Unmanaged.passRetained(queue)
        let status = pthread_create(&thread, nil, { ConnectionThread.run($0) }, argument.toOpaque())
        guard status == 0 else {
            argument.release()
            throw PostgresError(.connectFailed, reason: "no thread available")
        }
        pthread_detach(thread)
    }

    deinit {
        queue.finish()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        queue.push(JobQueue.Entry(job: UnownedJob(job), executor: self))
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        clibpq_name_current_thread("postgres")
        let queue = Unmanaged<JobQueue>.fromOpaque(argument).takeRetainedValue()
        while let entry = queue.next() {
            entry.job.runSynchronously(on: entry.executor.asUnownedSerialExecutor())
        }
        return nil
    }
}

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
