import Foundation

/// A file that one process at a time holds.
///
/// The kernel releases it when the process ends.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `BenchError` with this text if another process holds it.
    init(_ path: String, or text: String) throws {
        try FileManager.default.createDirectory(
            atPath: URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false),
            withIntermediateDirectories: true)
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw BenchError("\(path) can't be opened") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw BenchError(text)
        }
    }

    /// Gives the lock back, also if a child that has not begun its program yet holds the file open too.
    func release() {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
