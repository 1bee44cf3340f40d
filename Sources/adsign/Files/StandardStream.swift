import Foundation
import LocalFiles
import StrictJSON

/// Standard output and standard error, written with write(2) and without a buffer.
enum StandardStream {
    /// Writes bytes to standard output.
    ///
    /// - Throws: `OutputClosed`, or `CommandError` if the output can't be written, for example on a full disk.
    static func output(_ bytes: [UInt8]) throws {
        let problem = Descriptor.write(bytes, to: STDOUT_FILENO)
        guard problem != EPIPE else { throw OutputClosed() }
        guard problem == 0 else {
            throw CommandError(.fault, "standard output can't be written: \(String(cString: strerror(problem)))")
        }
    }

    /// Writes a line to standard output; nothing in it controls a terminal.
    static func output(line: String) throws {
        try output(Array((JSONText.printable(line) + "\n").utf8))
    }

    /// Writes bytes to standard error.
    ///
    /// If that fails, it is ignored.
    static func error(_ bytes: [UInt8]) {
        _ = Descriptor.write(bytes, to: STDERR_FILENO)
    }

    /// Writes a line to standard error; nothing in it controls a terminal.
    static func error(_ line: String) {
        error(Array((JSONText.printable(line) + "\n").utf8))
    }
}
