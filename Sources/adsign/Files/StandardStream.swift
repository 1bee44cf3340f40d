import Foundation

/// Standard output and standard error, written with write(2) and without a buffer.
enum StandardStream {
    /// The reader of standard output has closed it.
    ///
    /// The program then ends without a message.
    enum Closed: Error {
        case output
    }

    /// Writes bytes to standard output.
    ///
    /// - Throws: `Closed.output`, or `Failure` if the output can't be written, for example on a full disk.
    static func output(_ bytes: [UInt8]) throws {
        let problem = write(bytes, to: STDOUT_FILENO)
        guard problem != EPIPE else { throw Closed.output }
        guard problem == 0 else {
            throw Failure(.fault, "standard output can't be written: \(String(cString: strerror(problem)))")
        }
    }

    /// Writes a line to standard output.
    static func output(line: String) throws {
        try output(Array((line + "\n").utf8))
    }

    /// Writes bytes to standard error.
    ///
    /// If that fails, it is ignored.
    static func error(_ bytes: [UInt8]) {
        _ = write(bytes, to: STDERR_FILENO)
    }

    /// Writes a line to standard error.
    static func error(_ line: String) {
        error(Array((line + "\n").utf8))
    }

    /// Writes all bytes.
    ///
    /// - Returns: 0, or the value of errno.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            var remaining = buffer[...]
            while !remaining.isEmpty {
                let start = UnsafeRawBufferPointer(rebasing: remaining).baseAddress
                let count = Foundation.write(descriptor, start, remaining.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return errno }
                remaining = remaining.dropFirst(count)
            }
            return 0
        }
    }
}
