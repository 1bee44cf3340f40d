import Glibc
import LocalFiles
import StrictJSON

/// Standard output, written without a buffer, so that a command knows what was not written.
enum StandardOutput {
    /// Writes bytes as they are: data for another program.
    ///
    /// - Throws: `OutputClosed` if the reader has closed it, `UnwrittenOutput` for example on a full disk.
    static func write(_ bytes: [UInt8]) throws {
        let problem = Descriptor.write(bytes, to: STDOUT_FILENO)
        guard problem != EPIPE else { throw OutputClosed() }
        guard problem == 0 else { throw UnwrittenOutput(reason: String(cString: strerror(problem))) }
    }

    /// Writes text as it is.
    static func write(_ text: String) throws {
        try write(Array(text.utf8))
    }

    /// Writes a line for people, in which nothing controls a terminal.
    static func line(_ text: String) throws {
        try write(JSONText.printable(text) + "\n")
    }

    /// Writes a line about work that is done; if nobody reads it any more, that changes nothing.
    static func summary(_ text: String) throws {
        do {
            try line(text)
        } catch is OutputClosed {}
    }
}

/// Standard output that can't be written.
struct UnwrittenOutput: Error, CustomStringConvertible {
    let reason: String

    var description: String { "standard output: can't be written: \(reason)" }
}
