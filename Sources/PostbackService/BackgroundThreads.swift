import BackgroundWork
import Forwarding
import Glibc
import HTTPListener
import NIOCore
import NIOPosix

/// Threads on which no postback is received or committed: event loops that also run the tasks of what they are for.
///
/// If processor time is short, the system prefers other threads to these. So what costs much here delays no postback.
struct BackgroundThreads: Sendable {
    /// The event loops.
    ///
    /// They are never shut down: a connection may outlive its listener.
    let group: MultiThreadedEventLoopGroup
    /// Where tasks run that belong to no connection.
    let executor: EventLoopTaskExecutor

    /// Those of the admin listeners: as many as there are cores, for all listeners of the process.
    static let admin = BackgroundThreads(count: AvailableCores.count)
    /// Those that send to destinations: half as many.
    static let sending = BackgroundThreads(count: max(1, AvailableCores.count / 2))

    private init(count: Int) {
        group = MultiThreadedEventLoopGroup(numberOfThreads: count)
        for loop in group.makeIterator() { loop.execute { Self.giveWay() } }
        executor = EventLoopTaskExecutor(group.next())
    }

    /// If processor time is short, the system prefers other threads to this one.
    ///
    /// On Linux the priority is that of a thread, and 0 stands for the calling one (setpriority(2)).
    private static func giveWay() {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    }
}
