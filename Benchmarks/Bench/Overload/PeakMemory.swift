import Synchronization

/// The most resident memory that a process has while it is watched.
final class PeakMemory: Sendable {
    private let process: Int32
    private let most = Mutex(0.0)
    private let isOver = Atomic(false)

    init(of process: Int32) {
        self.process = process
    }

    /// Megabytes now.
    var now: Double { ProcessStatus.residentMegabytes(of: process) ?? 0 }

    /// The most megabytes so far.
    var peak: Double { most.withLock { $0 } }

    /// Looks five times a second, until `end` is called.
    func watch() async {
        while !isOver.load(ordering: .relaxed) {
            let now = now
            most.withLock { $0 = max($0, now) }
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    func end() { isOver.store(true, ordering: .relaxed) }
}
