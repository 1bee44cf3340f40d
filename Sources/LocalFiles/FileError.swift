import Glibc

/// Why a file can't be used, to complete "the file …".
///
/// It contains no part of what is in the file.
package struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, and what to do if that is known.
    package let description: String
    /// Whether there is no such file.
    package let isMissing: Bool

    /// An error that we found.
    init(_ description: String) {
        self.description = description
        isMissing = false
    }

    /// An error that the system found.
    init(_ what: String, errno code: Int32) {
        description = "\(what): \(String(cString: strerror(code)))"
        isMissing = code == ENOENT
    }

    /// The error of a link at a place where links are not followed.
    static let isLink = FileError("is a symbolic link, which is not followed here; remove it")
}
