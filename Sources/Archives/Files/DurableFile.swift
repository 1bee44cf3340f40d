import Foundation
import LocalFiles

/// Files that get their name when they are whole and on the disk.
enum DurableFile {
    /// Where a file is written first.
    static func partPath(_ path: String) -> String { path + ".part" }

    /// Writes a file, in place of the one that has its name.
    ///
    /// If the program dies, the name stands for the old bytes or for the new ones.
    static func replace(_ path: String, with bytes: [UInt8]) throws(ArchiveError) {
        let part = partPath(path)
        let descriptor = try ArchiveError.naming(part) { () throws(FileError) in try RegularFile.create(part) }
        var problem = Descriptor.write(bytes, to: descriptor)
        if problem == 0, fsync(descriptor) != 0 { problem = errno }
        if close(descriptor) != 0, problem == 0 { problem = errno }
        guard problem == 0 else {
            throw ArchiveError(path: part, rule: "can't be written: \(String(cString: strerror(problem)))")
        }
        guard rename(part, path) == 0 else {
            throw ArchiveError(path: path, rule: "can't be made: \(String(cString: strerror(errno)))")
        }
        try synchronizeFolder(of: path)
    }

    /// Gives a written part the file's name, unless there is such a file.
    static func takePart(of path: String) throws(ArchiveError) {
        // Unlike `rename`, `link` never replaces a file. Some file systems don't have it.
        if link(partPath(path), path) == 0 {
            unlink(partPath(path))
        } else if errno == EEXIST || RegularFile.exists(path) {
            throw ArchiveError(path: path, rule: "exists, and is never overwritten")
        } else if rename(partPath(path), path) != 0 {
            throw ArchiveError(path: path, rule: "can't be made: \(String(cString: strerror(errno)))")
        }
        try synchronizeFolder(of: path)
    }

    /// The same for a file that nobody else can make meanwhile: at every moment there is one of the two names.
    static func renamePart(of path: String) throws(ArchiveError) {
        guard !RegularFile.exists(path) else {
            throw ArchiveError(path: path, rule: "exists, and is never overwritten")
        }
        let part = partPath(path)
        try ArchiveError.naming(part) { () throws(FileError) in try RegularFile.check(part) }
        guard rename(partPath(path), path) == 0 else {
            throw ArchiveError(path: path, rule: "can't be made: \(String(cString: strerror(errno)))")
        }
        try synchronizeFolder(of: path)
    }

    /// Makes the names of a file's folder durable.
    static func synchronizeFolder(of path: String) throws(ArchiveError) {
        let folder = FolderPath.of(path)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw ArchiveError(path: folder, rule: "can't be written to the disk: \(String(cString: strerror(errno)))")
        }
    }
}

extension Error {
    /// What the system says about an error of Foundation, such as "No space left on device".
    var systemText: String {
        let error = self as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        guard cause.domain == NSPOSIXErrorDomain else { return error.localizedDescription }
        return String(cString: strerror(Int32(truncatingIfNeeded: cause.code)))
    }
}
