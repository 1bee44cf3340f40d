import ArgumentParser
import NIOSSL

/// Which certificates are trusted.
struct TrustOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Trust the root certificates of this file instead of the system's, for a server inside your house.",
            valueName: "file"))
    var rootCertificates: String?

    /// What a client of TLS needs.
    ///
    /// - Throws: `CommandError` with code 66 for a file that is no list of certificates.
    func context(_ verification: CertificateVerification = .fullVerification) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.certificateVerification = verification
        do {
            if let rootCertificates {
                configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(rootCertificates))
            }
            return try NIOSSLContext(configuration: configuration)
        } catch {
            guard let rootCertificates else { throw CommandError(.fault, "TLS can't be set up: \(error)") }
            throw CommandError(.file, "\(rootCertificates) can't be read as certificates in PEM form")
        }
    }
}
