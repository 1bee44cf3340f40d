package import Destinations
import LocalFiles
import Synchronization

/// The secrets of destinations: files of one folder, each with the name of its secret and a mode of 0600 or less.
///
/// A file is read again once it has changed, so a secret is replaced without a restart. What is in a file is never part
/// of an error.
package struct SecretFiles: Sendable {
    /// The name of the folder in that of the key ring.
    package static let folderName = "secrets"

    private let folder: String
    private let known = KnownSecrets()

    /// Takes the path of the folder, which need not be there.
    package init(folder: String) {
        self.folder = folder
    }

    /// These secrets as their files are now.
    ///
    /// It asks the file system about each file, and blocks the thread for so long.
    ///
    /// - Throws: The first secret that can't be used: its file is missing, open to others, or not one line of text.
    package func secrets(_ names: [SecretName]) throws(SecretProblem) -> [SecretName: Secret] {
        var secrets: [SecretName: Secret] = [:]
        for name in names {
            let path = "\(folder)/\(name)"
            let file = known.file(name) ?? SecretFile(name, at: path)
            known.set(file, for: name)
            secrets[name] = try file.secret.get()
        }
        return secrets
    }
}

/// A file as it was when it was read.
private struct SecretFile: Sendable {
    let stamps: FileStamps
    let secret: Result<Secret, SecretProblem>

    /// Reads the file.
    init(_ name: SecretName, at path: String) {
        var stamps = FileStamps()
        stamps.note(path)
        self.stamps = stamps
        secret = Result { () throws(SecretProblem) in try Self.read(name, at: path) }
    }

    private static func read(_ name: SecretName, at path: String) throws(SecretProblem) -> Secret {
        let bytes: [UInt8]
        do throws(FileError) {
            // A line end, and that of Windows, may stand behind the text.
            bytes = try RegularFile.bytes(path, atMost: Secret.maximumSize + 2, trust: .ownerOnly)
        } catch {
            throw error.isMissing ? .missing(name) : SecretProblem(name, error.description)
        }
        guard let secret = Secret(file: bytes) else { throw SecretProblem(name, Secret.rule) }
        return secret
    }
}

/// The files that were read, for all who ask.
private final class KnownSecrets: Sendable {
    private let files = Mutex<[SecretName: SecretFile]>([:])

    /// The file as it was read, if it has not changed since.
    func file(_ name: SecretName) -> SecretFile? {
        guard let file = files.withLock({ $0[name] }), file.stamps.areCurrent else { return nil }
        return file
    }

    func set(_ file: SecretFile, for name: SecretName) {
        files.withLock { $0[name] = file }
    }
}
