import ECDSA
import Foundation
import TestSupport
import Testing

@Suite("Messages of CMS")
struct CMSSignedDataTests {
    private static let now: Int64 = 1_700_000_000
    private let authority: ReceiptAuthority
    private let content = Array("what was bought".utf8)

    init() throws {
        authority = try ReceiptAuthority()
    }

    @Test(
        "Receipts of Xcode are read, and their signatures are valid",
        .enabled(if: XcodeReceipt.areHere, XcodeReceipt.reason), arguments: XcodeReceipt.names)
    func xcode(_ name: String) throws {
        let message = try CMSSignedData(der: XcodeReceipt.message(name))
        #expect(message.isSignatureValid && message.content.first == 0x31)
        #expect(message.certificates.map(\.der) == [message.signer.der])
    }

    @Test("What is signed here has content, signer and the other certificates")
    func signed() throws {
        let message = try CMSSignedData(der: authority.sign(content))
        #expect(message.isSignatureValid)
        #expect(message.content == content)
        #expect(message.signer.der == authority.signer.der)
        let expected = [authority.signer, authority.authority, authority.root].map(\.der)
        #expect(Set(message.certificates.map(\.der)) == Set(expected))
        let empty = try CMSSignedData(der: authority.sign([]))
        #expect(empty.isSignatureValid && empty.content.isEmpty)
    }

    @Test(
        "The openssl command verifies what is signed here",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled))
    func openssl() async throws {
        try await OpenSSLCommand.withFolder { folder in
            try Data(authority.sign(content)).write(to: folder.appending(path: "message"))
            let lines = Data(authority.root.der).base64EncodedString(
                options: [.lineLength64Characters, .endLineWithLineFeed])
            let root = "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
            try Data(root.utf8).write(to: folder.appending(path: "root"))
            let output = try await OpenSSLCommand.output(
                of: [
                    "cms", "-verify", "-inform", "DER", "-in", "message", "-CAfile", "root", "-purpose", "any",
                    "-attime", "\(Self.now)",
                ], in: folder)
            #expect(output == "what was bought")
        }
    }

    @Test(
        "Of what the openssl command makes, only a message with content, one signer and its certificate is read",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled))
    func otherMessages() async throws {
        try await OpenSSLCommand.withFolder { folder in
            try Data(content).write(to: folder.appending(path: "content"))
            for name in ["a", "b"] {
                _ = try await OpenSSLCommand.output(
                    of: [
                        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-sha1", "-subj", "/CN=\(name)", "-days", "9",
                        "-keyout", "\(name)-private", "-out", name,
                    ], in: folder)
            }
            func message(_ options: String...) async throws -> [UInt8] {
                let first = ["cms", "-outform", "DER", "-binary", "-in", "content", "-out", "message"]
                _ = try await OpenSSLCommand.output(of: first + options, in: folder)
                return Array(try Data(contentsOf: folder.appending(path: "message")))
            }
            func signed(_ options: String...) async throws -> [UInt8] {
                let first = ["cms", "-outform", "DER", "-binary", "-in", "content", "-out", "message"]
                let signer = ["-sign", "-nodetach", "-signer", "a", "-inkey", "a-private"]
                _ = try await OpenSSLCommand.output(of: first + signer + options, in: folder)
                return Array(try Data(contentsOf: folder.appending(path: "message")))
            }
            for digest in ["sha1", "sha256", "sha512"] {
                let withAttributes = try CMSSignedData(der: try await signed("-md", digest))
                #expect(withAttributes.isSignatureValid && withAttributes.content == content, "\(digest)")
                let plain = try CMSSignedData(der: try await signed("-md", digest, "-noattr"))
                #expect(plain.isSignatureValid && plain.content == content, "\(digest)")
            }
            let broken = try CMSSignedData(der: try await signed("-md", "md5"))
            #expect(!broken.isSignatureValid)
            let others = [
                try await signed("-nocerts"), try await signed("-signer", "b", "-inkey", "b-private"),
                try await message("-sign", "-signer", "a", "-inkey", "a-private"),
                try await message("-encrypt", "-aes128", "a"), try await message("-data_create"),
            ]
            for (index, other) in others.enumerated() {
                #expect(throws: CertificateError.malformed, "\(index)") { _ = try CMSSignedData(der: other) }
            }
        }
    }

    @Test("A message that is cut, or has a byte more, is refused")
    func cut() throws {
        let message = try authority.sign(content)
        for count in message.indices {
            #expect(throws: CertificateError.self) { _ = try CMSSignedData(der: Array(message[..<count])) }
        }
        #expect(throws: CertificateError.malformed) { _ = try CMSSignedData(der: message + [0]) }
        #expect(throws: CertificateError.malformed) { _ = try CMSSignedData(der: message + message) }
        let nested: [UInt8] = (0..<200_000).flatMap { _ -> [UInt8] in [0x30, 0x80] }
        #expect(throws: CertificateError.malformed) { _ = try CMSSignedData(der: nested) }
    }

    @Test("No change of a byte makes a valid message of other content or another signer")
    func changed() throws {
        let message = try authority.sign(content)
        for index in message.indices {
            var changed = message
            changed[index] ^= 1 << UInt8(index % 8)
            guard let read = try? CMSSignedData(der: changed), read.isSignatureValid else { continue }
            let isOurs = read.content == content && read.signer.der == authority.signer.der
            let chain = try? read.chain(to: [authority.root], at: Self.now)
            #expect(isOurs || chain == nil, "byte \(index)")
        }
    }

    @Test("The chain leads to the root that is trusted, while its certificates are valid")
    func chain() throws {
        let message = try CMSSignedData(der: authority.sign(content, with: [authority.authority]))
        let chain = try message.chain(to: [ReceiptAuthority().root, authority.root], at: Self.now)
        #expect(chain.map(\.der) == [authority.signer, authority.authority, authority.root].map(\.der))
        for seconds in [ReceiptAuthority.validity.lowerBound - 1, ReceiptAuthority.validity.upperBound + 1] {
            #expect(throws: CertificateError.notValidAt(seconds)) {
                _ = try message.chain(to: [authority.root], at: seconds)
            }
        }
        let others: [[Certificate]] = [[], [try ReceiptAuthority().root]]
        for roots in others {
            #expect(throws: CertificateError.self) { _ = try message.chain(to: roots, at: Self.now) }
        }
        let alone = try CMSSignedData(der: authority.sign(content, with: []))
        #expect(throws: CertificateError.self) { _ = try alone.chain(to: [authority.root], at: Self.now) }
    }

    @Test(
        "Signatures and chains of RSA with SHA-1 and SHA-256 are valid in their time, with lengths of any form",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled),
        arguments: ["sha1", "sha256"])
    func rsa(_ digest: String) async throws {
        try await RSAReceiptAuthority.use(digest, end: "20230207000000Z") { authority in
            let message = try CMSSignedData(der: try await authority.sign(content, digest))
            #expect(message.isSignatureValid && message.content == content && message.certificates.count == 3)
            #expect(try message.chain(to: [authority.root], at: 1_588_789_729).last?.der == authority.root.der)
            #expect(throws: CertificateError.notValidAt(1_700_000_000)) {
                _ = try message.chain(to: [authority.root], at: 1_700_000_000)
            }
            let indefinite = try await authority.signAsXcode(content)
            #expect(indefinite.starts(with: [0x30, 0x80]))
            let read = try CMSSignedData(der: indefinite)
            #expect(read.isSignatureValid && read.content == content && read.signer.der == authority.root.der)
            #expect(try read.chain(to: [authority.root], at: 1_700_000_000).count == 1)
        }
    }

    @Test("A message with more than sixteen certificates is refused")
    func manyCertificates() throws {
        var others: [Certificate] = []
        for _ in 0..<15 { others.append(try ReceiptAuthority().root) }
        #expect(try CMSSignedData(der: authority.sign(content, with: others)).certificates.count == 16)
        others.append(authority.root)
        let message = try authority.sign(content, with: others)
        #expect(throws: CertificateError.malformed) { _ = try CMSSignedData(der: message) }
    }
}
