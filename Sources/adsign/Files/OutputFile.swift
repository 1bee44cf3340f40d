import Foundation
import LocalFiles
import StrictJSON

/// A file that is written from its beginning, with write(2).
///
/// What it held before is lost. A symbolic link is refused: somebody else may have made it, to another file of ours.
final class OutputFile {
    private let path: String
    private var descriptor: Int32

    /// Creates or empties the file.
    ///
    /// - Throws: `CommandError` with code 66.
    init(_ path: String) throws {
        self.path = path
        // /dev/stdout and what a shell makes of >(…) are links of the system.
        let isOfShell = ["/dev/stdout", "/dev/stderr"].contains(path) || path.hasPrefix("/dev/fd/")
        let links = isOfShell ? 0 : O_NOFOLLOW
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | links, 0o644)
        guard descriptor >= 0 else {
            guard errno != ELOOP else {
                throw CommandError(
                    .file, "\(JSONText.line(path)) is a symbolic link, which is not written through; remove it")
            }
            throw Self.failure(path, errno)
        }
    }

    deinit {
        if descriptor >= 0 { _ = Foundation.close(descriptor) }
    }

    /// Appends bytes.
    ///
    /// - Throws: `CommandError` with code 66, for example on a full disk.
    func append(_ bytes: [UInt8]) throws {
        let problem = Descriptor.write(bytes, to: descriptor)
        guard problem == 0 else { throw Self.failure(path, problem) }
    }

    /// Ends the file.
    ///
    /// - Throws: `CommandError` with code 66 if the system says now that something was not written.
    func close() throws {
        defer { descriptor = -1 }
        guard Foundation.close(descriptor) == 0 else { throw Self.failure(path, errno) }
    }

    private static func failure(_ path: String, _ problem: Int32) -> CommandError {
        CommandError(.file, "\(JSONText.line(path)) can't be written: \(String(cString: strerror(problem)))")
    }
}
