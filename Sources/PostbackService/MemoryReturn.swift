import BackgroundWork
import CMalloc
import HTTPListener
import ServiceLifecycle
import Synchronization

/// Gives memory back to the system after a crowd of connections.
///
/// What a closed connection used is free again, but glibc keeps it. It gives back only what lies at the end of its
/// heaps, and something that is still used nearly always lies behind. `malloc_trim` gives back every page that is
/// wholly free.
struct MemoryReturn: Service {
    let tables: [ConnectionTable]
    /// So many connections must have been closed since the last time.
    var crowd = 256
    var interval: Duration = .seconds(20)

    func run() async throws {
        let seen = Mutex(0)
        await Repetition.run(every: interval, isAtOnce: false) { [crowd, tables] in
            let closed = tables.reduce(0) { $0 + $1.closed }
            let isCrowd = seen.withLock { seen in
                guard closed - seen >= crowd else { return false }
                seen = closed
                return true
            }
            if isCrowd { malloc_trim(0) }
        }
    }
}
