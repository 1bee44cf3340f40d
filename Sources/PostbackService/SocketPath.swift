import Glibc
import LocalFiles
import NIOCore

/// Where a Unix socket is in the file system.
package struct SocketPath: Sendable, Equatable {
    /// The greatest number of bytes of a path: the size of `sun_path` (unix(7)) less the zero byte at its end.
    package static let maximumLength = 107
    /// The mode of the file: its owner and group may connect.
    static let mode: mode_t = 0o660

    /// The path, relative to the working folder or absolute.
    package let text: String

    /// Takes a path.
    ///
    /// - Returns: nil if it is empty, holds a zero byte, or is longer than `maximumLength` bytes.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), !text.utf8.contains(0) else { return nil }
        self.text = text
    }

    /// Makes sure that binding can't take the path from a server that runs.
    ///
    /// A socket that was left by a server which was killed is no obstacle: binding removes it.
    ///
    /// - Throws: `SocketPathTaken`
    func claim() throws {
        switch FileKind(at: text) {
        case .nothing: return
        case .other: throw SocketPathTaken(reason: "is there and is no socket")
        case .socket: break
        }
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard client >= 0 else { return }
        defer { close(client) }
        guard let address = try? SocketAddress(unixDomainSocketPath: text),
            address.withSockAddr({ connect(client, $0, socklen_t($1)) }) == 0
        else { return }
        throw SocketPathTaken(reason: "another server listens there", isByServer: true)
    }

    /// Gives the bound socket its mode.
    ///
    /// Until then it has that of the process's umask, which is stricter as a rule.
    ///
    /// - Throws: `SocketPathTaken`
    func setMode() throws {
        guard chmod(text, Self.mode) == 0 else {
            throw SocketPathTaken(reason: "its mode can't be set: \(String(cString: strerror(errno)))")
        }
    }
}

/// Why a path can't have the socket of this server.
struct SocketPathTaken: Error, CustomStringConvertible {
    let reason: String
    /// Whether a server listens there.
    var isByServer = false

    var description: String { reason }
}
