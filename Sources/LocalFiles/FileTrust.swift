import Glibc

/// Who may change a file, or read it, so that it is used.
package enum FileTrust: Sendable {
    /// Anybody: what the file says is checked in another way.
    case anybody
    /// Not everybody may write it: it decides whom we trust.
    ///
    /// Its group may, since under a umask of 002 each file is open to the user's own group.
    case notForAllToWrite
    /// Only its owner may read or write it: it is a secret.
    case ownerOnly

    /// Checks an open file.
    ///
    /// - Parameter path: Its name, for the folder that it is in.
    func check(_ status: stat, at path: String) throws(FileError) {
        let mode = status.st_mode & 0o7777
        switch self {
        case .anybody: return
        case .notForAllToWrite:
            guard mode & S_IWOTH == 0 else {
                throw FileError("may be written by everybody on this machine; run chmod o-w on it")
            }
        case .ownerOnly:
            guard mode & 0o077 == 0 else {
                throw FileError("must not be open to others: its mode must be 0600 or less")
            }
        }
        try Self.checkFolder(of: path, owner: status.st_uid)
        // Behind links it may be in another folder.
        guard let target = realpath(path, nil) else { return }
        defer { free(target) }
        try Self.checkFolder(of: String(cString: target), owner: status.st_uid)
    }

    /// In a folder that everybody may write, another file can be put in the place of this one.
    ///
    /// With the sticky bit, as /tmp and the secrets of Kubernetes have it, only the owner of the file can do that.
    private static func checkFolder(of path: String, owner: uid_t) throws(FileError) {
        let folder = FolderPath.of(path)
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IWOTH != 0 else { return }
        let isSafe = status.st_mode & S_ISVTX != 0 && (owner == 0 || owner == geteuid())
        guard isSafe else {
            throw FileError("is in a folder that everybody on this machine may write; run chmod o-w \(folder)")
        }
    }
}

/// What happens if the name of a file stands for a symbolic link.
///
/// Folders on the way to the file may always be links.
package enum FileLinks: Sendable {
    /// The link is followed: the operator named the file, or mounted it, as Kubernetes mounts a secret.
    case followed
    /// The link is refused: the program chose the name, in a folder in which somebody else may have made the link.
    case refused

    /// The flag of open(2).
    var flag: Int32 { self == .followed ? 0 : O_NOFOLLOW }
}

/// Folders of files, by name.
package enum FolderPath {
    /// The folder of a file: what stands before the last slash.
    package static func of(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
