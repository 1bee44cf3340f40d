import NIOCore
import NIOSSL
import Synchronization

/// Open connections that are not in use.
///
/// The one that was used last is taken first, so that at a low rate few are open.
final class ConnectionStock: Sendable {
    private let target: HTTPTarget
    private let tls: NIOSSLContext?
    private let timeout: TimeAmount
    private let idle = Mutex<[HTTPConnection]>([])

    init(_ target: HTTPTarget, tls: NIOSSLContext?, timeout: TimeAmount) {
        self.target = target
        self.tls = tls
        self.timeout = timeout
    }

    /// Sends a body on an open connection, or on a new one.
    func post(_ body: [UInt8]) async throws -> HTTPAnswer {
        let connection = try await take()
        let answer = try await connection.post(body, timeout: timeout)
        if connection.isOpen { idle.withLock { $0.append(connection) } }
        return answer
    }

    private func take() async throws -> HTTPConnection {
        let known = idle.withLock { idle -> HTTPConnection? in
            while let last = idle.popLast() { if last.isOpen { return last } }
            return nil
        }
        if let known { return known }
        return try await HTTPConnection.open(target, tls: tls, timeout: timeout)
    }

    /// Closes what is not in use.
    func close() async {
        for connection in idle.withLock({ idle in
            defer { idle = [] }; return idle
        }) { await connection.close() }
    }
}
