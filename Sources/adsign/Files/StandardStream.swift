import Foundation

/// Standard output and standard error by write(2), with nothing buffered in between.
enum StandardStream {
    /// The reader of standard output has gone, which ends the work without a word.
    enum Closed: Error {
        case output
    }

    /// Writes bytes to standard output.
    ///
    /// - Throws: `Closed.output`, or `Failure` where the output can't be written, such as on a full disk.
    static func output(_ bytes: [UInt8]) throws {
        let problem = write(bytes, to: STDOUT_FILENO)
        guard problem != EPIPE else { throw Closed.output }
        guard problem == 0 else {
            throw Failure(.fault, "standard output cannot be written: \(String(cString: strerror(problem)))")
        }
    }

    /// Writes a line to standard output.
    static func output(line: String) throws {
        try output(Array((line + "\n").utf8))
    }

    /// Writes bytes to standard error; there is nobody to tell if that fails.
    static func error(_ bytes: [UInt8]) {
        _ = write(bytes, to: STDERR_FILENO)
    }

    /// Writes a line to standard error.
    static func error(_ line: String) {
        error(Array((line + "\n").utf8))
    }

    /// Writes all bytes; 0, or what errno said.
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
