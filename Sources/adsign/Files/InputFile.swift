import Foundation
import StrictJSON

/// A file, or standard input if the name is `-`.
///
/// It is read in pieces, with read(2). It may be a pipe, also for a key: `--key <(…)`. So a key need not be on the disk.
final class InputFile {
    private let path: String
    private let descriptor: Int32

    /// Opens the file.
    ///
    /// - Throws: `CommandError` with code 66.
    init(_ path: String) throws {
        self.path = path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// Appends the bytes that are available, at most `limit`.
    ///
    /// Waits only if there are none yet.
    ///
    /// - Returns: False at the end of the input.
    func read(_ limit: Int, onto bytes: inout [UInt8]) throws -> Bool {
        while true {
            var (count, problem) = (0, 0 as Int32)
            bytes += [UInt8](unsafeUninitializedCapacity: limit) { buffer, initializedCount in
                count = Foundation.read(descriptor, buffer.baseAddress, limit)
                problem = errno
                initializedCount = max(0, count)
            }
            if count < 0, problem == EINTR { continue }
            guard count >= 0 else { throw Self.failure(path, problem) }
            return count > 0
        }
    }

    /// The permission bits; 0 if they can't be read.
    var mode: mode_t {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return 0 }
        return status.st_mode & 0o7777
    }

    /// What messages call the file: its name, or standard input.
    static func name(of path: String) -> String { path == "-" ? "standard input" : JSONText.line(path) }

    private static func failure(_ path: String, _ problem: Int32) -> CommandError {
        CommandError(.file, "\(name(of: path)) can't be read: \(String(cString: strerror(problem)))")
    }
}
