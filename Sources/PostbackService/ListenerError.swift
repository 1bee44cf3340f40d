import AdminAPI
import Glibc
import NIOCore
import PostbackIngest

/// Why a listener can't be bound.
package struct ListenerError: Error, Sendable, Equatable {
    /// What stands in the way.
    package enum Problem: Sendable, Equatable {
        /// Something else listens there.
        case isTaken
        /// This user may not listen there, for example below port 1024.
        case isForbidden
        /// The host is not an address of this machine.
        case isElsewhere
        /// The host is a name without an address.
        case isUnknown
        /// Anything else, in the system's words.
        case other(String)
    }

    /// The listener: `postbacks`, `admin` or `admin_socket`.
    package let name: String
    /// Its host and port, or its path.
    package let place: String
    /// What stands in the way.
    package let problem: Problem

    init(_ listener: ServiceMetrics.Listener, _ place: ListenerPlace, _ error: any Error) {
        name = listener.rawValue
        self.place = "\(place)"
        problem = Problem(error)
    }
}

extension ListenerError.Problem {
    /// The problem behind an error of NIO or of a socket's path.
    init(_ error: any Error) {
        switch error {
        case let error as IOError: self.init(errno: error.errnoCode)
        case is SocketAddressError.UnknownHost: self = .isUnknown
        case let error as SocketPathTaken: self = error.isByServer ? .isTaken : .other(error.reason)
        default: self = .other("\(error)")
        }
    }

    init(errno code: Int32) {
        switch code {
        case EADDRINUSE: self = .isTaken
        case EACCES, EPERM: self = .isForbidden
        case EADDRNOTAVAIL: self = .isElsewhere
        default: self = .other(String(cString: strerror(code)))
        }
    }
}
