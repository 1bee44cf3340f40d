import AdAttribution
import Destinations
import Foundation
import LocalFiles
import StrictJSON

/// Reads and writes key files.
///
/// No message contains any part of a key.
enum KeyFile {
    private static let largest = 65_536

    /// Reads a private key.
    ///
    /// Prints a warning if others than the owner may read the file.
    ///
    /// - Parameters:
    ///   - passphrase: What opens an encrypted key; nil for one that is not encrypted.
    ///   - curves: The curves that are accepted.
    static func signingKey(_ path: String, passphrase: Passphrase? = nil, curves: [Curve]) throws -> SigningKey {
        let file = try InputFile(path)
        let text = String(decoding: try bytes(of: file, path), as: UTF8.self)
        // Everybody may read a public key, which is here by mistake; but not a file with both halves.
        let isPublic = !text.contains("PRIVATE KEY-----") && (try? VerificationKey(text)) != nil
        if !isPublic { warnIfOpen(file, path) }
        return try signingKey(named: InputFile.name(of: path), curves) { (curve) throws(KeyError) in
            try SigningKey(pem: text, passphrase: passphrase, curve: curve)
        }
    }

    /// The private key that `read` finds, on one of the accepted curves.
    ///
    /// - Parameter name: What an error calls it.
    static func signingKey(
        named name: String, _ curves: [Curve], read: (Curve) throws(KeyError) -> SigningKey
    ) throws -> SigningKey {
        var problem = KeyError.wrongCurve
        for curve in curves {
            do throws(KeyError) {
                return try read(curve)
            } catch {
                problem = error
                // Only the curve can be another one the next time; and a token must not get a wrong PIN twice.
                guard error == .wrongCurve else { break }
            }
        }
        throw failure(name, problem, kind: "private", curves)
    }

    /// Reads a passphrase.
    ///
    /// Prints a warning if others than the owner may read the file.
    static func passphrase(_ path: String) throws -> Passphrase {
        guard let passphrase = Passphrase(file: try secret(path)) else {
            throw CommandError(.data, "\(InputFile.name(of: path)): a passphrase \(Passphrase.rule)")
        }
        return passphrase
    }

    /// Reads a secret of one line.
    ///
    /// Prints a warning if others than the owner may read the file.
    static func sharedSecret(_ path: String) throws -> String {
        String(decoding: try secret(path), as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// Reads a public key.
    ///
    /// - Parameter curves: The curves that are accepted.
    static func verificationKey(_ path: String, curves: [Curve]) throws -> VerificationKey {
        let text = String(decoding: try bytes(of: try InputFile(path), path), as: UTF8.self)
        do throws(KeyError) {
            let key = try VerificationKey(text)
            guard curves.contains(key.curve) else { throw KeyError.wrongCurve }
            return key
        } catch {
            throw failure(InputFile.name(of: path), error, kind: "public", curves)
        }
    }

    /// Reads a key of Standard Webhooks.
    ///
    /// Prints a warning if it is secret and others than the owner may read the file.
    static func webhookKey(_ path: String) throws -> WebhookKey {
        let file = try InputFile(path)
        let text = String(decoding: try bytes(of: file, path), as: UTF8.self)
        guard let key = WebhookKey(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw CommandError(.data, "\(InputFile.name(of: path)): must be \(WebhookKey.rule)")
        }
        if case .ed25519Public = key { return key }
        warnIfOpen(file, path)
        return key
    }

    /// Writes a new file.
    ///
    /// It never overwrites one.
    ///
    /// - Throws: `CommandError` with code 66. Then no new file is left.
    static func create(_ path: String, _ text: String, mode: mode_t) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            throw CommandError(
                .file,
                errno == EEXIST
                    ? "\(JSONText.line(path)) already exists and is not overwritten"
                    : "\(JSONText.line(path)) can't be created: \(String(cString: strerror(errno)))")
        }
        var problem = fchmod(descriptor, mode) == 0 ? 0 : errno
        if problem == 0 { problem = Descriptor.write(Array(text.utf8), to: descriptor) }
        if problem == 0, fsync(descriptor) != 0, errno != EINVAL { problem = errno }
        if close(descriptor) != 0, problem == 0 { problem = errno }
        guard problem == 0 else {
            unlink(path)
            throw CommandError(.file, "\(JSONText.line(path)) can't be written: \(String(cString: strerror(problem)))")
        }
    }

    /// The bytes of a file that its owner only should be able to read.
    private static func secret(_ path: String) throws -> [UInt8] {
        let file = try InputFile(path)
        warnIfOpen(file, path)
        return try bytes(of: file, path)
    }

    private static func warnIfOpen(_ file: InputFile, _ path: String) {
        guard path != "-", file.mode & 0o077 != 0 else { return }
        StandardStream.error(
            "adsign: warning: others than the owner can read \(JSONText.line(path)); run chmod 600 on it")
    }

    private static func bytes(of file: InputFile, _ path: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= largest, try file.read(8_192, onto: &bytes) {}
        guard bytes.count <= largest else {
            throw CommandError(.data, "\(InputFile.name(of: path)): a key file must have at most \(largest) bytes")
        }
        return bytes
    }

    private static func failure(_ name: String, _ error: KeyError, kind: String, _ curves: [Curve]) -> CommandError {
        guard error == .wrongCurve else { return CommandError(.data, "\(name): \(error)") }
        let names = curves.map { $0 == .p192 ? "P-192" : "P-256" }.joined(separator: " or ")
        return CommandError(.data, "\(name): must be a \(kind) key on \(names)")
    }
}
