package import AdAttribution
import Foundation

/// A root, an authority and a signer of receipts with Apple's marks and keys of RSA, made by the openssl command.
package struct RSAReceiptAuthority: Sendable {
    /// What must be trusted.
    package let root: Certificate
    private let folder: URL

    /// Makes keys and certificates, which are valid from 2015.
    ///
    /// - Parameters:
    ///   - digest: `sha1` or `sha256`, with which the certificates are signed.
    ///   - end: The end of authority and signer, as `20230207000000Z`. The root ends in 2035.
    package static func use<Result>(
        _ digest: String, end: String = "20350101000000Z",
        _ body: (RSAReceiptAuthority) async throws -> Result
    ) async throws -> Result {
        try await OpenSSLCommand.withFolder { folder in
            try await body(RSAReceiptAuthority(in: folder, digest: digest, end: end))
        }
    }

    private init(in folder: URL, digest: String, end: String) async throws {
        self.folder = folder
        try Data(Self.configuration.utf8).write(to: folder.appending(path: "configuration"))
        try Data().write(to: folder.appending(path: "index"))
        let issued = [("root", "root", "20350101000000Z"), ("authority", "root", end), ("signer", "authority", end)]
        for (name, issuer, end) in issued {
            _ = try await OpenSSLCommand.output(
                of: [
                    "req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=\(name)", "-keyout",
                    "\(name)-private", "-out", "\(name)-request",
                ], in: folder)
            _ = try await OpenSSLCommand.output(
                of: [
                    "ca", "-batch", "-notext", "-config", "configuration", "-extensions", name, "-md", digest,
                    "-startdate", "20150101000000Z", "-enddate", end, "-in", "\(name)-request", "-out", name,
                    "-keyfile", "\(issuer)-private",
                ] + (name == issuer ? ["-selfsign"] : ["-cert", issuer]), in: folder)
        }
        let files = try ["authority", "root"].map { try Data(contentsOf: folder.appending(path: $0)) }
        try (files[0] + files[1]).write(to: folder.appending(path: "others"))
        root = try Certificate(pem: String(decoding: files[1], as: UTF8.self))
    }

    /// Signs the content of a receipt as Apple does, with `sha1` or `sha256`.
    package func sign(_ content: [UInt8], _ digest: String) async throws -> [UInt8] {
        try await message(
            content, ["-md", digest, "-signer", "signer", "-inkey", "signer-private", "-certfile", "others"])
    }

    /// Signs as Xcode does: the root itself signs, there are no others, and lengths are indefinite.
    package func signAsXcode(_ content: [UInt8]) async throws -> [UInt8] {
        try await message(content, ["-md", "sha256", "-signer", "root", "-inkey", "root-private", "-stream"])
    }

    private func message(_ content: [UInt8], _ options: [String]) async throws -> [UInt8] {
        try Data(content).write(to: folder.appending(path: "content"))
        let always = ["-nodetach", "-noattr", "-binary", "-outform", "DER", "-in", "content", "-out", "message"]
        _ = try await OpenSSLCommand.output(of: ["cms", "-sign"] + always + options, in: folder)
        return Array(try Data(contentsOf: folder.appending(path: "message")))
    }

    private static let configuration = """
        [ca]
        default_ca = authorities
        [authorities]
        database = index
        new_certs_dir = .
        rand_serial = yes
        unique_subject = no
        policy = names
        [names]
        commonName = supplied
        [root]
        basicConstraints = critical,CA:true
        subjectKeyIdentifier = hash
        [authority]
        basicConstraints = critical,CA:true
        subjectKeyIdentifier = hash
        authorityKeyIdentifier = keyid
        \(ReceiptAuthority.authorityMark) = ASN1:NULL
        [signer]
        basicConstraints = critical,CA:false
        keyUsage = critical,digitalSignature
        \(ReceiptAuthority.signerMark) = ASN1:NULL

        """
}
