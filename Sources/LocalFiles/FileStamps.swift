import Glibc

/// Files as they were when they were read, to see later whether one has changed.
package struct FileStamps: Sendable {
    private var noted: [(path: String, stamp: FileStamp?)] = []

    /// No files.
    package init() {}

    /// Remembers how a file looks, also that it is not there.
    ///
    /// A reader calls it before it reads the file: if the file is written meanwhile, it has changed since.
    package mutating func note(_ path: String) {
        noted.append((path, FileStamp(path)))
    }

    /// Whether all files look as they did.
    package var areCurrent: Bool { noted.allSatisfy { FileStamp($0.path) == $0.stamp } }
}

/// What tells two states of a file apart without reading it.
private struct FileStamp: Sendable, Equatable {
    private let numbers: [Int]

    /// The stamp of the file at a path, behind links; nil if there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        numbers = [
            Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino), Int(status.st_size),
            Int(status.st_mode), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
            status.st_ctim.tv_nsec,
        ]
    }
}
