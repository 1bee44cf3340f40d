import AdAttribution
import Encodings
import Foundation
import TestSupport
import Testing

@testable import ECDSA

/// Private keys: both PEM forms are read; everything else is refused, without a prompt and without a word of the text.
@Suite("Private keys")
struct SigningKeyTests {
    @Test("The PEM of a key reads as the same key", arguments: Curve.allCases)
    func roundTrip(_ curve: Curve) throws {
        let key = try SigningKey.generate(curve)
        #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let same = try SigningKey(pem: key.pem, curve: curve)
        #expect(same.publicKey.subjectPublicKeyInfo == key.publicKey.subjectPublicKeyInfo)
        #expect(try key.publicKey.isValid(signature: same.signature(of: [1, 2, 3]), for: [1, 2, 3]))
    }

    @Test("Two new keys are never the same")
    func random() throws {
        let keys = try (0..<20).map { _ in try SigningKey.generate().publicKey.subjectPublicKeyInfo }
        #expect(Set(keys).count == 20)
    }

    @Test(
        "PKCS#8 and SEC1 are read, SEC1 as Apple's documented command writes it, with and without parameters",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled),
        arguments: [("prime256v1", Curve.p256), ("prime192v1", Curve.p192)])
    func forms(_ group: String, _ curve: Curve) async throws {
        try await OpenSSLCommand.withFolder { folder in
            let noParameters = ["ecparam", "-name", group, "-genkey", "-noout", "-out", "sec1.pem"]
            _ = try await OpenSSLCommand.output(of: noParameters, in: folder)
            let sec1 = try await OpenSSLCommand.output(of: ["ec", "-in", "sec1.pem"], in: folder)
            let pkcs8 = try await OpenSSLCommand.output(
                of: ["pkcs8", "-topk8", "-nocrypt", "-in", "sec1.pem"], in: folder)
            let parameters = try await OpenSSLCommand.output(of: ["ecparam", "-name", group], in: folder)
            #expect(sec1.contains("BEGIN EC PRIVATE KEY"))
            #expect(pkcs8.contains("BEGIN PRIVATE KEY"))
            #expect(parameters.contains("BEGIN EC PARAMETERS"))
            let keys = try [sec1, pkcs8, parameters + sec1, "a comment\n" + sec1, sec1.replacing("\n", with: "\r\n")]
                .map { try SigningKey(pem: $0, curve: curve).publicKey.pem }
            #expect(Set(keys).count == 1)
            #expect(
                keys.first == (try await OpenSSLCommand.output(of: ["ec", "-in", "sec1.pem", "-pubout"], in: folder)))
        }
    }

    @Test(
        "An encrypted file is read with its passphrase and refused with another or none, and there is no prompt",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled))
    func encrypted() async throws {
        try await OpenSSLCommand.withFolder { folder in
            let generate = ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "plain.pem"]
            _ = try await OpenSSLCommand.output(of: generate, in: folder)
            let phrase = ["-passout", "pass:secret"]
            let sec1 = try await OpenSSLCommand.output(of: ["ec", "-in", "plain.pem", "-aes256"] + phrase, in: folder)
            let pkcs8 = try await OpenSSLCommand.output(
                of: ["pkcs8", "-topk8", "-in", "plain.pem"] + phrase, in: folder)
            #expect(sec1.contains("Proc-Type: 4,ENCRYPTED"))
            #expect(pkcs8.contains("BEGIN ENCRYPTED PRIVATE KEY"))
            let publicPEM = try await OpenSSLCommand.output(of: ["ec", "-in", "plain.pem", "-pubout"], in: folder)
            let secret = try #require(Passphrase(file: Array("secret".utf8)))
            let other = try #require(Passphrase(file: Array("other".utf8)))
            for pem in [sec1, pkcs8] {
                #expect(try SigningKey(pem: pem, passphrase: secret).publicKey.pem == publicPEM)
                #expect(throws: KeyError.encrypted) { try SigningKey(pem: pem) }
                #expect(throws: KeyError.wrongPassphrase) { try SigningKey(pem: pem, passphrase: other) }
            }
        }
    }

    @Test("A passphrase for a key that is not encrypted is refused, since somebody believes that it is")
    func notEncrypted() throws {
        let secret = try #require(Passphrase(file: Array("secret".utf8)))
        let pem = try SigningKey.generate().pem
        #expect(throws: KeyError.notEncrypted) { try SigningKey(pem: pem, passphrase: secret) }
        #expect(throws: KeyError.unreadable) { try SigningKey(pem: "no key", passphrase: secret) }
    }

    @Test(
        "A key that we encrypt is one that openssl opens",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled))
    func encrypting() async throws {
        try await OpenSSLCommand.withFolder { folder in
            let key = try SigningKey.generate()
            let pem = key.pem(encryptedWith: try #require(Passphrase(file: Array("secret".utf8))))
            #expect(pem.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
            try Data(pem.utf8).write(to: folder.appending(path: "key.pem"))
            let read = ["pkey", "-in", "key.pem", "-passin", "pass:secret", "-pubout"]
            #expect(try await OpenSSLCommand.output(of: read, in: folder) == key.publicKey.pem)
        }
    }

    @Test(
        "A key with another curve or algorithm than asked for is refused",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled),
        arguments: [
            ["EC", "-pkeyopt", "ec_paramgen_curve:P-384"], ["EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"],
            ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"], ["ED25519"], ["X25519"],
        ])
    func otherKinds(_ kind: [String]) async throws {
        try await OpenSSLCommand.withFolder { folder in
            let pem = try await OpenSSLCommand.output(of: ["genpkey", "-algorithm"] + kind, in: folder)
            try Data(pem.utf8).write(to: folder.appending(path: "key.pem"))
            let publicPEM = try await OpenSSLCommand.output(of: ["pkey", "-in", "key.pem", "-pubout"], in: folder)
            for curve in Curve.allCases {
                #expect(throws: KeyError.wrongCurve) { try SigningKey(pem: pem, curve: curve) }
            }
            #expect(throws: KeyError.wrongCurve) { try VerificationKey(publicPEM) }
        }
    }

    @Test("A key on the other of our two curves is refused")
    func otherCurve() throws {
        let p192 = try SigningKey.generate(.p192).pem
        let p256 = try SigningKey.generate(.p256).pem
        #expect(throws: KeyError.wrongCurve) { try SigningKey(pem: p192) }
        #expect(throws: KeyError.wrongCurve) { try SigningKey(pem: p256, curve: .p192) }
    }

    @Test("A public key in the place of a private one is called so, in both forms, and on another curve too")
    func publicHalf() throws {
        let other = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n"
        let texts = [
            try SigningKey.generate().publicKey.pem, try SigningKey.generate(.p192).publicKey.pem,
            AppleKey.production.subjectPublicKeyInfo, other + "-----END PUBLIC KEY-----\n",
        ]
        for text in texts {
            let error = #expect(throws: KeyError.self) { try SigningKey(pem: text) }
            #expect(error == .publicKey)
            #expect(error?.description == "is a public key; a private key is wanted")
        }
    }

    @Test("A text that is not a private key can't be read, nor a damaged key")
    func garbage() throws {
        let key = try SigningKey.generate()
        let texts = [
            "", " ", "secret-text", "-----BEGIN PRIVATE KEY-----", "\u{0}",
            String(key.pem.dropLast(30)), String(key.pem.dropFirst()), key.pem.replacing("PRIVATE", with: "PUBLIC"),
            key.pem.replacing("BEGIN PRIVATE", with: "BEGIN EC PRIVATE"), key.pem.replacing("\nM", with: "\n*"),
            String(repeating: "-----BEGIN PRIVATE KEY-----\n", count: 1_000),
        ]
        for text in texts {
            #expect(throws: KeyError.unreadable) { try SigningKey(pem: text) }
        }
    }

    @Test("A file whose public key belongs to another private key is refused", arguments: Curve.allCases)
    func mismatch(_ curve: Curve) throws {
        let pem = try SigningKey.generate(curve).pem
        let lines = pem.split(separator: "\n").dropFirst().dropLast()
        var der = Array(try #require(Data(base64Encoded: lines.joined())))
        let point = try SigningKey.generate(curve).publicKey.subjectPublicKeyInfo.suffix(curve == .p192 ? 48 : 64)
        der.replaceSubrange(der.count - point.count..<der.count, with: point)
        let mixed = "-----BEGIN PRIVATE KEY-----\n\(Base64.encode(der))\n-----END PRIVATE KEY-----\n"
        #expect(throws: KeyError.unreadable) { try SigningKey(pem: mixed, curve: curve) }
    }

    @Test("No error and no description of a key contains any part of it")
    func silence() throws {
        let key = try SigningKey.generate()
        let secret = key.pem.split(separator: "\n").dropFirst().dropLast()
        var dumped = ""
        dump(key, to: &dumped)
        let shown = "\(key) \(String(reflecting: key)) \(dumped)"
        for error in [
            KeyError.unreadable, .publicKey, .privateKey, .encrypted, .wrongPassphrase, .wrongCurve, .unavailable,
        ] {
            #expect(!error.description.contains("BEGIN"))
        }
        for line in secret {
            #expect(!shown.contains(line))
        }
        let thrown = #expect(throws: KeyError.self) { try SigningKey(pem: "secret-text") }
        #expect(thrown.map { "\($0)".contains("secret") } == false)
    }
}
