import Glibc
import TestSupport
import Testing

/// Connections that send something, or nothing, and never read.
final class HostileSockets {
    private var sockets: [Int32] = []
    private let port: Int

    /// No connections yet, to a port of this machine.
    init(port: Int) {
        self.port = port
    }

    deinit {
        close()
    }

    /// Connects a number of times, and sends a text each time, as far as the system takes it at once.
    func open(_ count: Int, sending text: String = "") throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let bytes = Array(text.utf8)
        for _ in 0..<count {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            try #require(descriptor >= 0)
            sockets.append(descriptor)
            let status = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(status == 0)
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
    }

    /// Closes all connections.
    func close() {
        for socket in sockets { _ = Glibc.close(socket) }
        sockets = []
    }
}
