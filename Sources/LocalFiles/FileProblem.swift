import Glibc

/// Why a file can't be used, to complete "the file …".
///
/// It contains no part of what is in the file.
package struct FileProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, and what to do if that is known.
    package let description: String
    /// Whether there is no such file.
    package let isMissing: Bool

    /// A problem that we found.
    init(_ description: String) {
        self.description = description
        isMissing = false
    }

    /// A problem that the system found.
    init(_ what: String, errno code: Int32) {
        description = "\(what): \(String(cString: strerror(code)))"
        isMissing = code == ENOENT
    }

    /// The problem of a link at a place where links are not followed.
    static let isLink = FileProblem("is a symbolic link, which is not followed here; remove it")
}
