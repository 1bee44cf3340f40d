import Foundation

/// A file that is written from its beginning, with write(2).
///
/// What it held before is lost.
final class OutputFile {
    private let path: String
    private var descriptor: Int32

    /// Creates or empties the file.
    ///
    /// - Throws: `Failure` with code 66.
    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o644)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
    }

    deinit {
        if descriptor >= 0 { _ = Foundation.close(descriptor) }
    }

    /// Appends bytes.
    ///
    /// - Throws: `Failure` with code 66, for example on a full disk.
    func append(_ bytes: [UInt8]) throws {
        let problem = StandardStream.write(bytes, to: descriptor)
        guard problem == 0 else { throw Self.failure(path, problem) }
    }

    /// Ends the file.
    ///
    /// - Throws: `Failure` with code 66 if the system says now that something was not written.
    func close() throws {
        defer { descriptor = -1 }
        guard Foundation.close(descriptor) == 0 else { throw Self.failure(path, errno) }
    }

    private static func failure(_ path: String, _ problem: Int32) -> Failure {
        Failure(.file, "\(path) can't be written: \(String(cString: strerror(problem)))")
    }
}
