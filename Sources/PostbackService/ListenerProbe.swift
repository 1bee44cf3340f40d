import Glibc
import NIOCore

/// A socket that listens at a listener's place for a moment, to find out whether the listener will be able to.
struct ListenerProbe {
    private let descriptor: Int32
    private let path: SocketPath?

    /// Listens.
    ///
    /// - Throws: `IOError`, `SocketAddressError.UnknownHost` or `SocketPathTaken`.
    init(_ place: ListenerPlace) throws {
        let address: SocketAddress
        switch place {
        case .address(let host):
            path = nil
            address = try SocketAddress.makeAddressResolvingHost(host.host, port: host.port)
        case .socket(let socket):
            path = socket
            try socket.claim()
            // What a server that was killed has left; the listener would remove it too.
            unlink(socket.text)
            address = try SocketAddress(unixDomainSocketPath: socket.text)
        }
        descriptor = Glibc.socket(
            Int32(address.protocol.rawValue), Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        // As the listeners do: connections of an earlier run may still wait for their end.
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        // Without listen(2), two listeners of ours at one place would not be found.
        guard address.withSockAddr({ bind(descriptor, $0, socklen_t($1)) }) == 0, listen(descriptor, 1) == 0 else {
            let problem = errno
            Glibc.close(descriptor)
            throw IOError(errnoCode: problem, reason: "bind")
        }
    }

    /// Leaves the place.
    func close() {
        Glibc.close(descriptor)
        if let path { unlink(path.text) }
    }
}
