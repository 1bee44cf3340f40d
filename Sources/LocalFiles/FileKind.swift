import Glibc

/// What is under a name, without following a link.
package enum FileKind: Sendable, Equatable {
    /// Nothing.
    case nothing
    /// A Unix socket.
    case socket
    /// Anything else, also a link that leads nowhere.
    case other

    /// Looks.
    package init(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            self = .nothing
            return
        }
        self = status.st_mode & S_IFMT == S_IFSOCK ? .socket : .other
    }
}
