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

    /// A list of all roots of a system has some 250,000 bytes.
    private static let largest = 16 << 20

    /// What a client of TLS needs.
    ///
    /// - Throws: `CommandError` with code 66 for a file that can't be read, and 65 for one without certificates.
    func context() throws -> NIOSSLContext {
        var configuration = Self.clientConfiguration
        if let rootCertificates { configuration.trustRoots = .certificates(try Self.roots(of: rootCertificates)) }
        return try Self.made(from: configuration)
    }

    /// What a client needs that trusts every certificate, to look at one that is not trusted.
    static func contextForAll() throws -> NIOSSLContext {
        var configuration = Self.clientConfiguration
        configuration.certificateVerification = .none
        return try made(from: configuration)
    }

    private static var clientConfiguration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return configuration
    }

    private static func made(from configuration: TLSConfiguration) throws -> NIOSSLContext {
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw CommandError(.fault, "TLS can't be set up: \(error)")
        }
    }

    private static func roots(of path: String) throws -> [NIOSSLCertificate] {
        let bytes = try InputFile.bytes(of: path, atMost: largest)
        // NIO ends the program if there are no bytes.
        guard !bytes.isEmpty, let roots = try? NIOSSLCertificate.fromPEMBytes(bytes) else {
            throw CommandError(.data, "\(InputFile.name(of: path)): must have certificates in PEM form")
        }
        return roots
    }
}
