import ECDSA
import Foundation
import TestSupport
import Testing

@Suite("Certificates")
struct CertificateTests {
    private let chain: TestChain

    init() throws {
        chain = try TestChain()
    }

    @Test("A certificate in DER and in PEM is the same, and has its key, its validity and its extensions")
    func forms() throws {
        let leaf = chain.leaf
        let same = try Certificate(pem: "Subject: a leaf\n" + leaf.pem)
        #expect(same.der == leaf.der && same.sha256 == leaf.sha256 && same.sha256 == SHA256.digest(leaf.der))
        #expect(try same.publicKey().subjectPublicKeyInfo == chain.keys.leaf.publicKey.subjectPublicKeyInfo)
        #expect(same.validity == TestChain.first + 10...TestChain.last - 20)
        #expect(same.hasExtension("1.2.840.113635.100.6.11.1") && same.hasExtension("2.5.29.99"))
        // Constraints, key usage and both identifiers of keys.
        #expect(["2.5.29.19", "2.5.29.15", "2.5.29.14", "2.5.29.35"].allSatisfy(same.hasExtension))
        for oid in ["1.2.840.113635.100.6.11", "1.2.840.113635.100.6.11.1.1", "1.2.3.4", "", "leaf", "-1", "9.9"] {
            #expect(!same.hasExtension(oid), "\(oid)")
        }
    }

    @Test("An extension that stands twice does not count")
    func doubled() throws {
        let certificate = try CertificateMaker.make(
            subject: "Twice", key: chain.keys.leaf, issuedBy: nil, marker: ["1.2.3.4", "1.2.3.5", "1.2.3.4"],
            isAuthority: false, validFrom: 0, validTo: 1)
        #expect(!certificate.hasExtension("1.2.3.4"))
        #expect(certificate.hasExtension("1.2.3.5"))
        #expect(certificate.validity == 0...1)
    }

    @Test("Every shorter text, bytes behind it, and lengths that are not DER are refused")
    func refusedDER() {
        let der = chain.leaf.der
        for count in 0..<der.count {
            #expect(throws: CertificateError.malformed, "\(count) bytes") {
                _ = try Certificate(der: Array(der.prefix(count)))
            }
        }
        #expect(throws: CertificateError.malformed) { _ = try Certificate(der: der + [0]) }
        #expect(throws: CertificateError.malformed) { _ = try Certificate(der: der + der) }
        // The outer length in three bytes: BER.
        let longer: [UInt8] = [0x30, 0x83, 0x00] + der[2...]
        #expect(der[1] == 0x82)
        #expect(throws: CertificateError.malformed) { _ = try Certificate(der: longer) }
        #expect(throws: CertificateError.malformed) { _ = try Certificate(der: Array(chain.leaf.pem.utf8)) }
    }

    @Test("No change of one byte traps, and none leads to the leaf's root")
    func changed() {
        var random = SeededGenerator(seed: 36)
        for index in chain.leaf.der.indices {
            var der = chain.leaf.der
            der[index] ^= UInt8.random(in: 1...255, using: &random)
            guard let changed = try? Certificate(der: der) else { continue }
            _ = try? changed.publicKey()
            #expect(throws: CertificateError.self, "byte \(index)") {
                try CertificateChain.verify(
                    leaf: changed, intermediate: chain.intermediate, roots: [chain.root], at: 2_000_000_000)
            }
        }
    }

    @Test("A text without a certificate, with two, or with a key is refused")
    func refusedPEM() {
        let other = chain.leaf.pem.replacing("CERTIFICATE", with: "PUBLIC KEY")
        for text in ["", "CERTIFICATE", TestChain.pem(chain.leaf, chain.root), chain.keys.leaf.publicKey.pem, other] {
            #expect(throws: CertificateError.malformed) { _ = try Certificate(pem: text) }
        }
    }

    @Test("A subject that is too long is refused")
    func subject() {
        #expect(throws: CertificateError.unavailable) {
            _ = try CertificateMaker.make(
                subject: String(repeating: "a", count: 65), key: chain.keys.leaf, issuedBy: nil, isAuthority: false,
                validFrom: 0, validTo: 1)
        }
    }

    @Test(
        "The openssl command accepts a chain that we made, strictly too, and tells the same of its leaf",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled))
    func command() async throws {
        try await OpenSSLCommand.withFolder { folder in
            for (name, certificate) in [("root", chain.root), ("middle", chain.intermediate), ("leaf", chain.leaf)] {
                try Data(certificate.pem.utf8).write(to: folder.appending(path: name + ".pem"))
            }
            let verify = ["verify", "-x509_strict", "-attime", "2000000000", "-CAfile", "root.pem"]
            let output = try await OpenSSLCommand.output(
                of: verify + ["-untrusted", "middle.pem", "leaf.pem"], in: folder)
            #expect(output == "leaf.pem: OK\n")
            let told = try await OpenSSLCommand.output(
                of: ["x509", "-in", "leaf.pem", "-noout", "-fingerprint", "-sha256", "-subject", "-serial"], in: folder)
            let digits = chain.leaf.sha256.map { String(format: "%02X", $0) }.joined(separator: ":")
            #expect(told.contains(digits) && told.contains("Leaf") && told.contains("serial=03"))
        }
    }

    @Test(
        "A certificate whose key is on another curve, or RSA, can be read, but gives no key",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled),
        arguments: [["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:secp384r1"], ["-newkey", "rsa:2048"]])
    func otherKeys(_ kind: [String]) async throws {
        let text = try await OpenSSLCommand.withFolder { folder in
            try await OpenSSLCommand.output(
                of: ["req", "-x509", "-nodes", "-keyout", "other.key", "-subj", "/CN=other"] + kind, in: folder)
        }
        let certificate = try Certificate(pem: text)
        #expect(throws: KeyError.wrongCurve) { _ = try certificate.publicKey() }
    }
}
