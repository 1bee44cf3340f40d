import Glibc

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
