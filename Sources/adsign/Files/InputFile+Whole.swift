import AdAttribution
import AppStoreData

extension InputFile {
    /// The bytes of a file, or of standard input.
    ///
    /// - Throws: `CommandError` with code 66, or 65 if there are more than `limit`.
    static func bytes(of path: String, atMost limit: Int) throws -> [UInt8] {
        guard let bytes = try wholeBytes(of: path, atMost: limit) else {
            throw CommandError(.data, "\(name(of: path)): \(sizeRule(limit))")
        }
        return bytes
    }

    /// The bytes of a file, or of standard input; nil if there are more than `limit`.
    ///
    /// - Throws: `CommandError` with code 66.
    static func wholeBytes(of path: String, atMost limit: Int) throws -> [UInt8]? {
        let file = try InputFile(path)
        var bytes: [UInt8] = []
        while bytes.count <= limit, try file.read(65_536, onto: &bytes) {}
        return bytes.count <= limit ? bytes : nil
    }

    /// What a file with more than `limit` bytes is told.
    static func sizeRule(_ limit: Int) -> String { "must have at most \(limit) bytes" }

    /// The certificate of a file, PEM or DER.
    static func certificate(of path: String) throws -> Certificate {
        let bytes = try InputFile.bytes(of: path, atMost: 65_536)
        do throws(CertificateError) {
            // DER begins with a SEQUENCE. PEM may have a text above it.
            let isDER = bytes.first == 0x30
            return try isDER ? Certificate(der: bytes) : Certificate(pem: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw CommandError(.data, "\(name(of: path)): \(error)")
        }
    }

    /// Apple's root of receipts in a file, PEM or DER.
    ///
    /// - Throws: `CommandError` with code 65 for any other certificate.
    static func appleRoot(of path: String) throws -> Certificate {
        let certificate = try InputFile.certificate(of: path)
        guard AppleIncRoot.isIt(certificate) else {
            throw CommandError(
                .data, "\(name(of: path)): must be Apple Inc. Root CA, with the SHA-256 \(AppleIncRoot.digest)")
        }
        return certificate
    }
}
