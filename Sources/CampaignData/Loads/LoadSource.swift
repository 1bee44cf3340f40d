package import AuditTrail
import ECDSA

/// Who loads something, and from which files.
package struct LoadSource: Sendable {
    /// Who it is.
    package let author: TrailActor
    /// The files; at least one.
    package let files: [LoadedFile]

    /// Takes both.
    package init(_ author: TrailActor, _ files: [LoadedFile]) {
        self.author = author
        self.files = files
    }
}

/// A file that was loaded.
package struct LoadedFile: Sendable, Equatable {
    /// The name, for people.
    package let name: String
    /// The SHA-256 of its bytes, 32 bytes.
    package let sha256: [UInt8]

    /// Takes a name and a digest.
    package init(name: String, sha256: [UInt8]) {
        self.name = name
        self.sha256 = sha256
    }

    /// Takes a name and the bytes of the file.
    package init(name: String, _ bytes: [UInt8]) {
        self.init(name: name, sha256: SHA256.digest(bytes))
    }
}
