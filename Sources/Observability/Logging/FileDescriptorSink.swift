import Glibc
import Synchronization

/// Writes whole log lines.
///
/// Each call is one line with its newline.
package typealias LogSink = @Sendable ([UInt8]) -> Void

/// Writes log lines to a file descriptor, one `write(2)` a line.
///
/// A pipe may accept only a part of a line. The lock keeps other threads from writing before the rest of it. Make one
/// sink for the program, and pass its `write` to every handler.
package final class FileDescriptorSink: Sendable {
    private let descriptor: Int32
    private let lock = Mutex(())

    /// Makes a sink for a descriptor, which must stay open as long as the sink is used.
    /// - Parameter descriptor: By default 2, standard error.
    package init(descriptor: Int32 = 2) {
        self.descriptor = descriptor
    }

    /// Writes a whole line.
    ///
    /// If the reader has closed the pipe, or the pipe stays full for a second, the line is lost: a log must not stop a
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
