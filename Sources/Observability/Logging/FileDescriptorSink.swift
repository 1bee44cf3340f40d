import Glibc
import Synchronization

/// Writes log lines to a file descriptor, one `write(2)` a line.
///
/// A pipe may take less than a whole line; the lock keeps the rest of it from being cut into by another thread. Make one
/// for the program and hand its `write` to every handler.
package final class FileDescriptorSink: Sendable {
    private let descriptor: Int32
    private let lock = Mutex(())

    /// A sink for a descriptor that stays open as long as the sink lives.
    /// - Parameter descriptor: 2, standard error, unless told.
    package init(descriptor: Int32 = 2) {
        self.descriptor = descriptor
    }

    /// Writes a line, whole; a reader that is gone or stays full for a second loses it, since a log must not stop a
    /// service.
    @Sendable public func write(_ line: [UInt8]) {
        lock.withLock { _ in
            line.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let written = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                    if written > 0 {
                        rest = rest.dropFirst(written)
                    } else if written == 0 || !canGoOn(after: errno) {
                        return
                    }
                }
            }
        }
    }

    private func canGoOn(after error: Int32) -> Bool {
        switch error {
        case EINTR:
            return true
        case EAGAIN, EWOULDBLOCK:
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return poll(&request, 1, 1_000) == 1
        default:
            return false
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
