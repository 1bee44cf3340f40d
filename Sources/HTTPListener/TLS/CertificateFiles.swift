import LocalFiles
import NIOCore
import NIOSSL
import StrictJSON

/// The files of a certificate and its private key, both in PEM.
package struct CertificateFiles: Sendable, Equatable {
    /// The server's certificate, followed by those of its issuers.
    package let certificatePath: String
    /// The private key of the server's certificate.
    package let privateKeyPath: String
    private let certificateSetting: String
    private let privateKeySetting: String

    /// The files at these paths.
    ///
    /// - Parameters:
    ///   - certificateSetting: The setting that names the certificate, for a message that must not show a path.
    ///   - privateKeySetting: The same of the private key.
    package init(
        certificatePath: String, privateKeyPath: String, certificateSetting: String = "the certificate",
        privateKeySetting: String = "the private key"
    ) {
        self.certificatePath = certificatePath
        self.privateKeyPath = privateKeyPath
        self.certificateSetting = certificateSetting
        self.privateKeySetting = privateKeySetting
    }

    /// Reads both files, and makes what new connections need.
    ///
    /// - Parameter files: Where both are noted before they are read.
    func load(_ files: inout FileStamps) throws(CertificateFilesError) -> LoadedCertificate {
        files.note(certificatePath)
        files.note(privateKeyPath)
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(
                try Self.bytes(of: certificatePath, certificateSetting, trust: .notForAllToWrite))
        } catch let error as CertificateFilesError {
            throw error
        } catch {
            throw CertificateFilesError(file: certificatePath, rule: "must have certificates in PEM")
        }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(
                bytes: try Self.bytes(of: privateKeyPath, privateKeySetting, trust: .ownerOnly), format: .pem)
        } catch let error as CertificateFilesError {
            throw error
        } catch {
            throw CertificateFilesError(file: privateKeyPath, rule: "must have a private key in PEM, not encrypted")
        }
        do {
            return LoadedCertificate(
                context: try NIOSSLContext(configuration: Self.configuration(chain, key)),
                expiry: chain.map { Int64($0.notValidAfter) }.min() ?? 0)
        } catch {
            throw CertificateFilesError(
                file: privateKeyPath, rule: "must have the private key of the first certificate in \(certificatePath)")
        }
    }

    private static func configuration(_ chain: [NIOSSLCertificate], _ key: NIOSSLPrivateKey) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // Of TLS 1.2 only what has forward secrecy and authenticated encryption. TLS 1.3 has nothing else.
        configuration.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        // The guard of the connection waits for the client. A client that does not say goodbye must not keep a
        // descriptor longer than that.
        configuration.shutdownTimeout = .zero
        return configuration
    }

    /// The greatest number of bytes of a file.
    private static let maximumSize = 1 << 20

    private static func bytes(
        of path: String, _ setting: String, trust: FileTrust
    ) throws(CertificateFilesError) -> [UInt8] {
        guard let file = NamedFile(path) else { throw CertificateFilesError(file: setting, rule: NamedFile.rule) }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try RegularFile.bytes(path, atMost: maximumSize, trust: trust)
        } catch {
            guard let shown = file.shown else {
                throw CertificateFilesError(file: setting, rule: "\(NamedFile.hidden) \(error)")
            }
            throw CertificateFilesError(file: JSONText.line(shown), rule: "\(error)")
        }
        guard !bytes.isEmpty else {
            throw CertificateFilesError(file: path, rule: "must have 1 to \(maximumSize) bytes")
        }
        return bytes
    }
}

/// What the files of a certificate are read into.
struct LoadedCertificate: Sendable {
    /// What new connections need.
    let context: NIOSSLContext
    /// When the first certificate of the chain ends to be valid, in seconds since 1970.
    let expiry: Int64
}

/// Why a certificate can't be used: one line with the file and the rule.
///
/// It contains no part of a key, also if a key stands where the name of its file belongs.
package struct CertificateFilesError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The wrong file; the setting that names it, if there is none.
    package let file: String
    /// The rule that was broken.
    package let rule: String

    /// File and rule in one line.
    package var description: String { "TLS: \(file): \(rule)" }
}
