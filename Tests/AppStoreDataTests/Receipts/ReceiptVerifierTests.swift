import AdAttribution
import Encodings
import Foundation
import TestSupport
import Testing

@testable import AppStoreData

@Suite("Verifying receipts")
struct ReceiptVerifierTests {
    private let authority: ReceiptAuthority
    private let verifier: ReceiptVerifier

    init() throws {
        authority = try ReceiptAuthority()
        verifier = ReceiptVerifier(testRoots: [authority.root])
    }

    private func verdict(
        _ message: [UInt8], by verifier: ReceiptVerifier? = nil, bundleID: String? = nil, deviceID: [UInt8]? = nil
    ) -> String {
        do throws(ReceiptRejection) {
            let verifier = verifier ?? self.verifier
            return try verifier.verify(message, bundleID: bundleID, deviceID: deviceID).environment.rawValue
        } catch {
            return error.reason.rawValue
        }
    }

    /// A verifier for whom Apple's root is another one.
    private func pinned(
        to root: Certificate, given: Certificate? = nil, testRoots: [Certificate] = []
    ) -> ReceiptVerifier {
        ReceiptVerifier(root: given, testRoots: testRoots, digest: Hexadecimal.text(root.sha256))
    }

    @Test("Apple's root is the certificate with Apple's digest that the receipt carries, or that is given")
    func root() throws {
        let other = try ReceiptAuthority()
        let carrying = try authority.sign(TestReceipt.sandbox().content)
        let without = try authority.sign(TestReceipt.sandbox().content, with: [authority.authority])
        #expect(verdict(carrying, by: pinned(to: authority.root)) == "development")
        #expect(verdict(without, by: pinned(to: authority.root)) == "untrusted_chain")
        #expect(verdict(without, by: pinned(to: authority.root, given: other.root)) == "untrusted_chain")
        #expect(verdict(without, by: pinned(to: authority.root, given: authority.root)) == "development")
        // Apple's root in a receipt without a chain to it does nothing, nor does another root that is given.
        let others = [other.authority, other.root, authority.root]
        let borrowed = try other.sign(TestReceipt.sandbox().content, with: others)
        #expect(verdict(borrowed, by: pinned(to: authority.root)) == "untrusted_chain")
        #expect(verdict(carrying, by: pinned(to: other.root, given: authority.root)) == "untrusted_chain")
        #expect(verdict(carrying, by: pinned(to: authority.root, testRoots: [authority.root])) == "test")
    }

    @Test("A whole chain to a root with another digest is refused, with the roots that are missing")
    func otherRoot() throws {
        let whole = try authority.sign(TestReceipt.sandbox().content)
        func rejection(_ message: [UInt8], _ verifier: ReceiptVerifier) -> ReceiptRejection? {
            do throws(ReceiptRejection) {
                _ = try verifier.verify(message)
                return nil
            } catch {
                return error
            }
        }
        let digest = "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"
        let missing = "Apple's (SHA-256 \(digest)) is neither in the receipt nor given"
        #expect(try CMSSignedData(der: whole).chain(to: [authority.root], at: 1_717_243_200).count == 3)
        for verifier in [ReceiptVerifier(), ReceiptVerifier(root: authority.root)] {
            let refusal = try #require(rejection(whole, verifier))
            #expect(refusal.reason == .untrustedChain && refusal.field == "certificates")
            #expect(
                refusal.rule.hasPrefix(
                    "must lead to Apple's root or a test root when the receipt was made: \(missing); "
                        + "no test root is given; no path to a trusted root: "))
        }
        let other = try ReceiptAuthority().root
        let withTestRoot = try #require(rejection(whole, ReceiptVerifier(testRoots: [other])))
        #expect(withTestRoot.rule.contains(missing) && !withTestRoot.rule.contains("no test root"))
        // The root that the receipt carries does not count as missing.
        var content = TestReceipt.sandbox()
        content[12] = TestReceipt.date("2019-12-31T23:59:59Z")
        let carried = try #require(rejection(authority.sign(content.content), pinned(to: authority.root)))
        #expect(carried.rule.contains("no test root is given; a certificate is not valid"))
        #expect(!carried.rule.contains("neither in the receipt"))
    }

    @Test("Under Apple's root the type tells the environment, and another type is refused")
    func environments() throws {
        let cases = [
            ("Production", "production"), ("ProductionVPP", "production"), ("ProductionSandbox", "development"),
            ("ProductionVPPSandbox", "development"), ("Xcode", "wrong_environment"), ("", "malformed"),
        ]
        for (type, expected) in cases {
            var content = TestReceipt.sandbox(.purchase())
            content[0] = TestReceipt.text(type)
            let message = try authority.sign(content.content)
            #expect(verdict(message, by: pinned(to: authority.root)) == expected, "\(type)")
        }
    }

    @Test(
        "Receipts of RSA with SHA-1 and SHA-256 are valid for what was bought before their certificates ended",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled),
        arguments: ["sha1", "sha256"])
    func old(_ digest: String) async throws {
        try await RSAReceiptAuthority.use(digest, end: "20230207000000Z") { authority in
            let purchases = [TestReceipt](repeating: .purchase("2020-05-06T18:00:00Z"), count: 187)
            var content = TestReceipt.sandbox()
            content[12] = TestReceipt.date("2020-05-06T18:28:49Z")
            for purchase in purchases { content.attributes.append((17, purchase.content)) }
            let message = try await authority.sign(content.content, digest)
            let apples = pinned(to: authority.root)
            let verified = try apples.verify(message, bundleID: "com.example", deviceID: TestReceipt.deviceID)
            #expect(verified.environment == .development && verified.receipt.purchases.count == 187)
            #expect(verified.receipt.createdAt == 1_588_789_729_000)
            #expect(verdict(message) == "untrusted_chain")
            content.attributes.append((17, TestReceipt.purchase("2023-02-07T00:00:01Z").content))
            let late = try await authority.sign(content.content, digest)
            #expect(verdict(late, by: apples) == "certificate_expired")
            content[12] = TestReceipt.date("2023-02-07T00:00:01Z")
            let new = try await authority.sign(content.content, digest)
            #expect(verdict(new, by: apples) == "untrusted_chain")
        }
    }

    @Test("A receipt is of its app and of its device")
    func appAndDevice() throws {
        let message = try authority.sign(TestReceipt.sandbox().content)
        #expect(verdict(message, bundleID: "com.example", deviceID: TestReceipt.deviceID) == "test")
        for other in [[], [UInt8](repeating: 0, count: 16)] {
            #expect(verdict(message, deviceID: other) == "wrong_device")
        }
        for other in ["com.exampl", "com.Example", ""] { #expect(verdict(message, bundleID: other) == "unknown_app") }
        // The hash is over the bundle id with tag and length, and over the opaque value.
        for type: Int64 in [4, 5] {
            var content = TestReceipt.sandbox()
            content[type]?[0] ^= 1
            #expect(verdict(try authority.sign(content.content), deviceID: TestReceipt.deviceID) == "wrong_device")
        }
        var content = TestReceipt.sandbox()
        content[5] = SHA1.digest(TestReceipt.deviceID + [1, 2, 3] + Array("com.example".utf8))
        #expect(verdict(try authority.sign(content.content), deviceID: TestReceipt.deviceID) == "wrong_device")
    }

    @Test(
        "What Xcode signed itself is refused, unless its certificate is a test root",
        .enabled(if: XcodeReceipt.areHere, XcodeReceipt.reason), arguments: XcodeReceipt.names)
    func xcode(_ name: String) throws {
        let message = try XcodeReceipt.message(name)
        #expect(verdict(message) == "untrusted_chain")
        let certificate = try CMSSignedData(der: message).signer
        #expect(verdict(message, by: ReceiptVerifier(testRoots: [certificate])) == "test")
        try checkMutations(of: message, by: ReceiptVerifier(testRoots: [certificate]))
    }

    @Test(
        "A receipt that a root signed itself, as in Xcode, is only valid if that is a test root",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled))
    func selfSigned() async throws {
        try await RSAReceiptAuthority.use("sha256") { authority in
            let message = try await authority.signAsXcode(TestReceipt.xcode(.purchase()).content)
            #expect(verdict(message) == "untrusted_chain")
            #expect(verdict(message, by: ReceiptVerifier(testRoots: [authority.root])) == "test")
            let sandbox = try await authority.signAsXcode(TestReceipt.sandbox().content)
            #expect(verdict(sandbox, by: pinned(to: authority.root)) == "untrusted_chain")
        }
    }

    @Test("Only a signer with Apple's marks under a trusted root is taken, whatever the type says")
    func chains() throws {
        var content = TestReceipt.sandbox(.purchase())
        content[0] = TestReceipt.text("Production")
        #expect(verdict(try authority.sign(content.content)) == "test")
        #expect(verdict(try authority.sign(content.content), by: ReceiptVerifier()) == "untrusted_chain")
        #expect(verdict(try authority.sign(content.content, with: [])) == "untrusted_chain")
        for wrong in [
            try ReceiptAuthority(signerMarks: []), try ReceiptAuthority(authorityMarks: []),
            try ReceiptAuthority(
                signerMarks: [ReceiptAuthority.authorityMark], authorityMarks: [ReceiptAuthority.signerMark]),
        ] {
            let verifier = ReceiptVerifier(testRoots: [wrong.root])
            #expect(verdict(try wrong.sign(content.content), by: verifier) == "untrusted_chain")
        }
    }

    @Test("The signer's certificate is compared with the dates of the receipt and of its transactions")
    func dates() throws {
        let end: Int64 = 1_717_243_200
        let ending = try ReceiptAuthority(end: end)
        let verifier = ReceiptVerifier(testRoots: [ending.root])
        func verdict(created: String, bought: String...) throws -> String {
            var content = TestReceipt.sandbox()
            content[12] = TestReceipt.date(created)
            for time in bought { content.attributes.append((17, TestReceipt.purchase(time).content)) }
            return self.verdict(try ending.sign(content.content), by: verifier)
        }
        #expect(try verdict(created: "2024-06-01T11:59:59Z", bought: "2012-01-01T00:00:00Z") == "test")
        #expect(try verdict(created: "2024-06-01T11:59:59Z", bought: "2024-06-01T12:00:00Z") == "test")
        #expect(try verdict(created: "2024-06-01T12:00:01Z") == "untrusted_chain")
        #expect(try verdict(created: "2019-12-31T23:59:59Z") == "untrusted_chain")
        #expect(
            try verdict(created: "2024-06-01T11:59:59Z", bought: "2024-05-01T00:00:00Z", "2024-06-01T12:00:01Z")
                == "certificate_expired")
    }

    @Test("Content that was changed after it was signed is refused")
    func changedContent() throws {
        var message = try authority.sign(TestReceipt.sandbox(.purchase()).content)
        let place = try #require(message.firstRange(of: Array("coins".utf8)))
        message[place.lowerBound] ^= 1
        #expect(verdict(message) == "invalid_signature")
    }

    @Test("What is no message, or too large, is refused")
    func noMessage() throws {
        for wrong: [UInt8] in [[], [0x30], [0x30, 0x80], Array("MIIT".utf8), TestReceipt.sandbox().content] {
            #expect(verdict(wrong) == "malformed")
        }
        #expect(verdict(try authority.sign([])) == "malformed")
        #expect(verdict([UInt8](repeating: 0x30, count: CMSSignedData.maximumSize + 1)) == "too_large")
    }

    @Test("No random change of a receipt is taken with another content")
    func mutations() throws {
        try checkMutations(of: try authority.sign(TestReceipt.sandbox(.purchase()).content), by: verifier)
        try checkMutations(
            of: try authority.sign(TestReceipt.sandbox().content), by: pinned(to: authority.root))
    }

    @Test(
        "No random change of a receipt of RSA is taken with another content",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled))
    func changedRSA() async throws {
        try await RSAReceiptAuthority.use("sha1") { authority in
            let content = TestReceipt.sandbox(.purchase()).content
            let verifier = ReceiptVerifier(testRoots: [authority.root])
            for digest in ["sha1", "sha256"] {
                try checkMutations(of: try await authority.sign(content, digest), by: verifier)
            }
            try checkMutations(of: try await authority.signAsXcode(content), by: verifier)
        }
    }

    private func checkMutations(of message: [UInt8], by verifier: ReceiptVerifier) throws {
        let receipt = try verifier.verify(message).receipt
        var random = SeededGenerator(seed: 49)
        for _ in 0..<Mutation.count {
            var changed = message
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let start = Int.random(in: 0...changed.count, using: &random)
                let end = min(changed.count, start + Int.random(in: 0...2, using: &random))
                changed.replaceSubrange(start..<end, with: random.bytes(Int.random(in: 0...2, using: &random)))
            }
            guard let verified = try? verifier.verify(changed) else { continue }
            #expect(verified.receipt == receipt)
        }
    }

    @Test("The text of a receipt is base64 in one line or several, or the message itself")
    func texts() {
        let message: [UInt8] = [0x30, 0x82, 0, 1]
        for text in ["MIIAAQ==", "MIIA\r\nAQ==\n", " MIIAAQ== "] {
            #expect(ReceiptText.message(Array(text.utf8)) == message)
        }
        #expect(ReceiptText.message(message) == message)
        for wrong in ["", "\n", "MIIAAQ", "MIIAAQ==!", "{}"] {
            #expect(ReceiptText.message(Array(wrong.utf8)) == nil)
        }
    }
}
