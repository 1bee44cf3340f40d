import BackgroundWork
import Glibc
import HTTPListener
import NIOCore
import NIOPosix

/// The threads of the admin listener: event loops that read its requests, make the answers and send them.
///
/// No postback is received or committed on them, and nothing of the admin listener runs on those of postbacks. So a
/// request that costs much delays no postback.
enum AdminThreads {
    /// As many event loops as there are cores, for all admin listeners of the process.
    ///
    /// They are never shut down: a connection may outlive its listener.
    static let group = {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: AvailableCores.count)
        for loop in group.makeIterator() { loop.execute { giveWay() } }
        return group
    }()

    /// Where tasks run that belong to no connection.
    static let executor = EventLoopTaskExecutor(group.next())

    /// If processor time is short, the system prefers other threads to this one.
    ///
    /// On Linux the priority is that of a thread, and 0 stands for the calling one (setpriority(2)).
    private static func giveWay() {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    }
}
