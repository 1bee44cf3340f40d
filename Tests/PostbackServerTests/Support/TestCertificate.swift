import Foundation
import NIOSSL
import TestSupport

/// A certificate for `localhost` and its private key, in two files.
struct TestCertificate: Sendable {
    let certificatePath: String
    let privateKeyPath: String

    /// The settings of a server with this certificate.
    var settings: [String: String] {
        ["TLS_CERTIFICATE_PATH": certificatePath, "TLS_PRIVATE_KEY_PATH": privateKeyPath]
    }

    /// Creates a certificate that is its own issuer.
    static func create(in folder: String, name: String = "server") async throws -> TestCertificate {
        let certificate = TestCertificate(
            certificatePath: "\(folder)/\(name).cert.pem", privateKeyPath: "\(folder)/\(name).key.pem")
        try await request(certificate, "/CN=localhost", "subjectAltName=DNS:localhost,IP:127.0.0.1", nil)
        return certificate
    }

    /// Creates a certificate that is its own issuer and ended a day ago.
    static func createExpired(in folder: String) async throws -> TestCertificate {
        let current = try await create(in: folder, name: "current")
        let expired = TestCertificate(
            certificatePath: folder + "/expired.cert.pem", privateKeyPath: current.privateKeyPath)
        _ = try await OpenSSLCommand.output(
            of: [
                "x509", "-in", current.certificatePath, "-signkey", current.privateKeyPath, "-days", "-1",
                "-out", expired.certificatePath,
            ])
        return expired
    }

    /// Creates a root, a certificate that it issued, and one for `localhost` that this one issued.
    ///
    /// - Returns: The path of the root, and the certificate together with its issuer.
    static func createChain(in folder: String) async throws -> (root: String, leaf: TestCertificate) {
        let files = ["root", "issuer", "leaf"].map {
            TestCertificate(certificatePath: "\(folder)/\($0).cert.pem", privateKeyPath: "\(folder)/\($0).key.pem")
        }
        try await request(files[0], "/CN=root", "keyUsage=keyCertSign", nil)
        try await request(files[1], "/CN=issuer", "keyUsage=keyCertSign", files[0])
        try await request(files[2], "/CN=localhost", "subjectAltName=DNS:localhost", files[1])
        let chain = folder + "/chain.pem"
        let texts = try [files[2], files[1]].map { try String(contentsOfFile: $0.certificatePath, encoding: .utf8) }
        try texts.joined().write(toFile: chain, atomically: false, encoding: .utf8)
        return (
            files[0].certificatePath,
            TestCertificate(certificatePath: chain, privateKeyPath: files[2].privateKeyPath)
        )
    }

    private static func request(
        _ files: TestCertificate, _ subject: String, _ extra: String, _ issuer: TestCertificate?
    ) async throws {
        _ = try await OpenSSLCommand.output(
            of: [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-keyout", files.privateKeyPath, "-out", files.certificatePath, "-subj", subject, "-addext", extra,
            ] + (issuer.map { ["-CA", $0.certificatePath, "-CAkey", $0.privateKeyPath] } ?? []))
    }

    /// Puts certificate and key of another pair in the place of this one's.
    func replace(with other: TestCertificate) throws {
        for (target, source) in [
            (certificatePath, other.certificatePath), (privateKeyPath, other.privateKeyPath),
        ] {
            try FileManager.default.removeItem(atPath: target)
            try FileManager.default.copyItem(atPath: source, toPath: target)
        }
    }

    /// What a client needs that believes this root only.
    static func client(
        trusting root: String, _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(root)
        change(&configuration)
        return try NIOSSLContext(configuration: configuration)
    }
}
