import Glibc
package import LocalFiles
import StrictJSON

/// The file `tokens.json` of the key ring.
package struct TokenFile: Sendable {
    /// The greatest number of bytes.
    private static let maximumSize = 1 << 20

    /// The path of the file.
    package let path: String

    /// The file of a folder.
    package init(folder: String) { path = folder + "/tokens.json" }

    /// The tokens; none if there is no file.
    ///
    /// - Throws: `TokenFileError` for a file that can't be read, that everybody may write, or that breaks a rule.
    package func read() throws(TokenFileError) -> TokenRing {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try RegularFile.bytes(path, atMost: Self.maximumSize, trust: .notForAllToWrite)
        } catch {
            guard error.isMissing else { throw TokenFileError(path: path, rule: "\(error)") }
            return TokenRing()
        }
        do throws(TokenRowError) {
            return try TokenRing(json: bytes)
        } catch {
            throw TokenFileError(path: path, rule: "line \(error.line): \(error.rule)")
        }
    }

    /// The same, to be read again when the file changes.
    ///
    /// - Parameter files: Where the file is noted before it is read, also if this throws.
    package func read(noting files: inout FileStamps) throws(TokenFileError) -> TokenRing {
        files.note(path)
        return try read()
    }

    /// Changes the tokens, while nobody else does.
    ///
    /// The file is replaced at once, so a server reads the old one or the new one. It keeps its mode and its group. A
    /// symbolic link is refused: it would be replaced, and not the file behind it, which other servers may read.
    ///
    /// - Parameters:
    ///   - body: Changes the tokens.
    ///   - beforeReplacing: Runs when the new file is on the disk and only has to take its place, still under the lock.
    /// - Throws: `TokenFileError`; what the closures throw, and then nothing is changed.
    package func change<Value>(
        _ body: (inout TokenRing) throws -> Value, beforeReplacing: () throws -> Void = {}
    ) throws -> Value {
        try refuseLink()
        let lock: Int32
        do {
            lock = try RegularFile.openLock(path + ".lock")
        } catch {
            throw TokenFileError(path: path + ".lock", rule: "\(error)", isUnwritten: true)
        }
        // Closing it gives the lock back.
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failed("can't be locked") }
        }
        var ring = try read()
        let value = try body(&ring)
        try writePart(ring.json)
        do {
            try beforeReplacing()
        } catch {
            unlink(part)
            throw error
        }
        try replace()
        return value
    }

    /// The new file until it takes the place of the old one.
    private var part: String { path + ".part" }

    private func refuseLink() throws(TokenFileError) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return }
        guard let target = realpath(path, nil) else {
            throw TokenFileError(
                path: path, rule: "is a symbolic link that leads nowhere; remove it", isUnwritten: true)
        }
        defer { free(target) }
        let real = String(cString: target)
        let folder = JSONText.line(FolderPath.of(real))
        let advice =
            real.hasSuffix("/tokens.json")
            ? "run the command with --keyring-path \(folder)"
            : "run the command with --keyring-path and a folder in which tokens.json is no link"
        throw TokenFileError(
            path: path, rule: "is a symbolic link to \(JSONText.line(real)), which is not followed here; \(advice)",
            isUnwritten: true)
    }

    private func writePart(_ bytes: [UInt8]) throws(TokenFileError) {
        let descriptor: Int32
        do throws(FileError) {
            descriptor = try RegularFile.create(part)
        } catch {
            throw TokenFileError(path: part, rule: "\(error)", isUnwritten: true)
        }
        var status = stat()
        if stat(path, &status) == 0 {
            // Only root may give a file to another user.
            _ = fchown(descriptor, geteuid() == 0 ? status.st_uid : uid_t.max, status.st_gid)
            _ = fchmod(descriptor, status.st_mode & 0o777)
        }
        var problem = Descriptor.write(bytes, to: descriptor)
        if problem == 0, fsync(descriptor) != 0 { problem = errno }
        if close(descriptor) != 0, problem == 0 { problem = errno }
        guard problem == 0 else {
            throw TokenFileError(
                path: part, rule: "can't be written: \(String(cString: strerror(problem)))", isUnwritten: true)
        }
    }

    private func replace() throws(TokenFileError) {
        guard rename(part, path) == 0 else { throw failed("can't be replaced") }
        let folder = open(FolderPath.of(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if folder >= 0 { close(folder) } }
        guard folder >= 0, fsync(folder) == 0 else { throw failed("can't be written to the disk") }
    }

    private func failed(_ what: String) -> TokenFileError {
        TokenFileError(path: path, rule: "\(what): \(String(cString: strerror(errno)))", isUnwritten: true)
    }
}

/// Why the file of tokens can't be used: one line with the file, the line and the rule.
///
/// It has no part of a token, and no digest.
package struct TokenFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file.
    package let path: String
    /// The line, if one is wrong, and the rule.
    package let rule: String
    /// Whether the file can't be written; what is in it may be right.
    package let isUnwritten: Bool

    init(path: String, rule: String, isUnwritten: Bool = false) {
        self.path = path
        self.rule = rule
        self.isUnwritten = isUnwritten
    }

    /// File and rule.
    package var description: String { "tokens: \(JSONText.line(path)): \(rule)" }
}
