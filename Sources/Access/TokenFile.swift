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
    /// The file is replaced at once, so a server reads the old one or the new one. It keeps its mode and its group.
    ///
    /// - Throws: `TokenFileError`; what the body throws, and then nothing is changed.
    package func change<Value>(_ body: (inout TokenRing) throws -> Value) throws -> Value {
        let lock: Int32
        do {
            lock = try RegularFile.openLock(path + ".lock")
        } catch {
            throw TokenFileError(path: path + ".lock", rule: "\(error)")
        }
        // Closing it gives the lock back.
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failed("can't be locked") }
        }
        var ring = try read()
        let value = try body(&ring)
        try replace(with: ring.json)
        return value
    }

    private func replace(with bytes: [UInt8]) throws(TokenFileError) {
        let part = path + ".part"
        let descriptor: Int32
        do throws(FileError) {
            descriptor = try RegularFile.create(part)
        } catch {
            throw TokenFileError(path: part, rule: "\(error)")
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
            throw TokenFileError(path: part, rule: "can't be written: \(String(cString: strerror(problem)))")
        }
        guard rename(part, path) == 0 else { throw failed("can't be replaced") }
        let folder = open(FolderPath.of(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if folder >= 0 { close(folder) } }
        guard folder >= 0, fsync(folder) == 0 else { throw failed("can't be written to the disk") }
    }

    private func failed(_ what: String) -> TokenFileError {
        TokenFileError(path: path, rule: "\(what): \(String(cString: strerror(errno)))")
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

    /// File and rule.
    package var description: String { "tokens: \(JSONText.line(path)): \(rule)" }
}
