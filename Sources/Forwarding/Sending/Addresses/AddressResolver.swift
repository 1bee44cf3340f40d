import Foundation
import Glibc
package import PostbackStore
import Synchronization

/// Gives the addresses of a host name.
///
/// It is asked by ourselves, before a connection is opened, so that the address that was checked is the one that is
/// connected to. If the client asked again, a name server could give another answer the second time.
package struct AddressResolver: Sendable {
    /// The addresses of a name in the order in which they should be tried.
    ///
    /// It must end soon if its task is cancelled.
    package let addresses: @Sendable (_ host: String) async throws -> [IPAddress]

    /// Makes a resolver from a function.
    package init(addresses: @escaping @Sendable (_ host: String) async throws -> [IPAddress]) {
        self.addresses = addresses
    }

    /// The resolver of the machine: `getaddrinfo`.
    ///
    /// The call can take minutes if a name server does not answer, and nothing can end it. So it has a thread of its
    /// own, and a caller that is cancelled does not wait for it.
    package static let system = AddressResolver { host in
        let lookup = Lookup()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard lookup.begin(continuation) else { return }
                Thread.detachNewThread { lookup.end(Result { try Self.getAddresses(of: host) }) }
            }
        } onCancel: {
            lookup.end(.failure(CancellationError()))
        }
    }

    /// Who waits for a call.
    ///
    /// The first end counts: the call's, or the waiting task's.
    private final class Lookup: Sendable {
        private typealias Continuation = CheckedContinuation<[IPAddress], any Error>

        private enum State {
            case new
            case waiting(CheckedContinuation<[IPAddress], any Error>)
            case over
        }

        private let state = Mutex(State.new)

        /// Whether the call is to be made; if not, the task was cancelled before.
        func begin(_ continuation: CheckedContinuation<[IPAddress], any Error>) -> Bool {
            let isNew = state.withLock { state in
                guard case .new = state else { return false }
                state = .waiting(continuation)
                return true
            }
            if !isNew { continuation.resume(throwing: CancellationError()) }
            return isNew
        }

        func end(_ result: Result<[IPAddress], any Error>) {
            let continuation: Continuation? = state.withLock { state in
                defer { state = .over }
                guard case .waiting(let continuation) = state else { return nil }
                return continuation
            }
            continuation?.resume(with: result)
        }
    }

    private static func getAddresses(of host: String) throws -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        // Without it, a machine that has IPv4 only would be given addresses that it can't reach.
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { throw ResolutionError(reason: String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = IPAddress(entry), !addresses.contains(address) { addresses.append(address) }
            next = entry.ai_next
        }
        return addresses
    }
}

/// Why a name has no address.
package struct ResolutionError: Error, Equatable, CustomStringConvertible {
    /// The words of the C library, such as "Name or service not known".
    let reason: String

    /// Says why.
    package init(reason: String) {
        self.reason = reason
    }

    package var description: String { reason }
}

extension IPAddress {
    /// The address of an entry of `getaddrinfo`; nil for another family.
    fileprivate init?(_ entry: addrinfo) {
        guard let address = entry.ai_addr else { return nil }
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
        switch entry.ai_family {
        case AF_INET where bytes.count >= MemoryLayout<sockaddr_in>.size:
            self.init(ipv4: UInt32(bigEndian: bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            let ipv6 = bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self.init(ipv6: withUnsafeBytes(of: ipv6) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) })
        default: return nil
        }
    }
}
