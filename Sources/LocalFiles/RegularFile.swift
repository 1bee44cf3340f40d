import Glibc

/// A file that is a file: no folder, no device, no socket and no named pipe, which could be waited for without end.
package enum RegularFile {
    /// Opens a file for reading, without waiting for anything.
    ///
    /// - Returns: The descriptor; close it.
    package static func open(
        _ path: String, links: FileLinks = .followed, trust: FileTrust = .anybody
    ) throws(FileError) -> Int32 {
        // Without O_NONBLOCK a named pipe would stop us here. It has no effect on files.
        try open(path, O_RDONLY | O_NONBLOCK | links.flag, mode: 0, trust: trust)
    }

    /// Opens a file for a lock, and makes it if there is none; only its owner may open it then.
    ///
    /// - Returns: The descriptor; close it.
    package static func openLock(_ path: String) throws(FileError) -> Int32 {
        try open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW, mode: 0o600, trust: .anybody)
    }

    /// Creates a file for writing, which only its owner may open, in place of one that was left under this name.
    ///
    /// A link of this name is refused and stays. Whatever else gets this name meanwhile is not written to.
    ///
    /// - Returns: The descriptor; close it.
    package static func create(_ path: String) throws(FileError) -> Int32 {
        var status = stat()
        if lstat(path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFLNK { throw .isLink }
            guard unlink(path) == 0 else { throw FileError("can't be replaced", errno: errno) }
        }
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600 as mode_t)
        guard descriptor >= 0 else { throw FileError("can't be created", errno: errno) }
        return descriptor
    }

    /// The bytes of a file.
    ///
    /// - Parameter limit: The greatest number of bytes that it may have.
    package static func bytes(
        _ path: String, atMost limit: Int, links: FileLinks = .followed, trust: FileTrust = .anybody
    ) throws(FileError) -> [UInt8] {
        let descriptor = try open(path, links: links, trust: trust)
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let room = min(65_536, limit + 1 - bytes.count)
            var (count, problem) = (0, 0 as Int32)
            bytes += [UInt8](unsafeUninitializedCapacity: room) { buffer, initializedCount in
                count = read(descriptor, buffer.baseAddress, room)
                problem = errno
                initializedCount = max(0, count)
            }
            if count < 0, problem == EINTR { continue }
            guard count >= 0 else { throw FileError("can't be read", errno: problem) }
            if count == 0 { return bytes }
        }
        throw FileError("is too large: it may have \(limit) bytes")
    }

    /// Whether there is something under a name, also a link that leads nowhere.
    package static func exists(_ path: String) -> Bool { FileKind(at: path) != .nothing }

    /// Makes sure that a name stands for a file of its own, and for no link.
    package static func check(_ path: String) throws(FileError) {
        close(try open(path, links: .refused))
    }

    private static func open(
        _ path: String, _ flags: Int32, mode: mode_t, trust: FileTrust
    ) throws(FileError) -> Int32 {
        let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NOCTTY, mode)
        guard descriptor >= 0 else {
            switch errno {
            case ELOOP where flags & O_NOFOLLOW != 0: throw .isLink
            // What open(2) says about a socket, or about a pipe that nobody reads.
            case ENXIO: throw FileError("must be a file, and is \(kind(of: path))")
            default: throw FileError(flags & O_CREAT == 0 ? "can't be read" : "can't be made", errno: errno)
            }
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileError("must be a file, and is \(kind(status.st_mode))")
        }
        do {
            try trust.check(status, at: path)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func kind(of path: String) -> String {
        var status = stat()
        return stat(path, &status) == 0 ? kind(status.st_mode) : "something else"
    }

    private static func kind(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFIFO: "a named pipe"
        case S_IFDIR: "a folder"
        case S_IFSOCK: "a socket"
        case S_IFCHR, S_IFBLK: "a device"
        default: "something else"
        }
    }
}
