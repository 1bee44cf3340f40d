import Glibc

/// Writes to descriptors, without a buffer.
package enum Descriptor {
    /// Writes all bytes, and waits if that takes time.
    ///
    /// - Returns: 0, or the value of errno.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            var remaining = buffer[...]
            while !remaining.isEmpty {
                let start = UnsafeRawBufferPointer(rebasing: remaining).baseAddress
                let count = Glibc.write(descriptor, start, remaining.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return errno }
                remaining = remaining.dropFirst(count)
            }
            return 0
        }
    }
}

/// The reader of standard output has closed it, as `head` does when it has enough.
///
/// The program then ends without a message and with exit code 0.
package struct OutputClosed: Error, Sendable {
    /// The error of standard output that was closed.
    package init() {}
}
