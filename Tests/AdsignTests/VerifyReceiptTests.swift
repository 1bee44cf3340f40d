import AdAttribution
import Foundation
import TestSupport
import Testing

@Suite(
    "Verifying receipts by adsign", .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct VerifyReceiptTests {
    private let folder: Scratch
    private let authority: ReceiptAuthority

    init() throws {
        folder = try Scratch()
        authority = try ReceiptAuthority()
        try write("root.der", authority.root.der)
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: folder[name]))
    }

    private func verify(_ message: [UInt8], _ options: String...) async throws -> Tool.Result {
        try await Tool.run(
            ["verify-receipt", "--test-root", folder["root.der"]] + options,
            input: Data(message).base64EncodedString() + "\n")
    }

    @Test("A receipt is valid for its app and its device, as base64 and as DER")
    func lines() async throws {
        let message = try authority.sign(TestReceipt.sandbox(.purchase()).content)
        let device = "D1D1D1D1-D1D1-D1D1-D1D1-D1D1D1D1D1D1"
        let base64 = try await verify(message, "--bundle-id", "com.example", "--device-id", device)
        #expect(base64.code == 0, "\(base64.errors)")
        #expect(base64.lines.prefix(2) == ["verdict: valid", "environment: test"])
        #expect(base64.lines.contains("receipt.bundle_id: com.example"))
        #expect(base64.lines.contains("receipt.in_app[0].purchase_date: 2024-05-01T12:00:00Z"))
        try write("receipt", message)
        let der = try await Tool.adsign(
            "verify-receipt", "--test-root", folder["root.der"], "--bundle-id", "com.example", "--device-id", device,
            folder["receipt"])
        #expect(der.output == base64.output)
    }

    @Test("A whole chain to another root than Apple's is refused with the rule; as --root it is no root of Apple's")
    func otherRoot() async throws {
        let text = Data(try authority.sign(TestReceipt.sandbox().content)).base64EncodedString()
        let refused = try await Tool.adsign("verify-receipt", input: text)
        #expect(refused.code == 1 && refused.lines.first == "verdict: untrusted_chain")
        #expect(refused.output.contains("b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"))
        #expect(refused.output.contains("neither in the receipt nor given; no test root is given"))
        let given = try await Tool.adsign("verify-receipt", "--root", folder["root.der"], input: text)
        #expect(given.code == 65 && given.errors.contains("must be Apple Inc. Root CA"))
    }

    @Test("With --format json, verdict, environment and members are one object")
    func json() async throws {
        let content = TestReceipt.sandbox(.purchase()).content
        let result = try await verify(try authority.sign(content), "--format", "json")
        #expect(result.code == 0, "\(result.errors)")
        let verdict = try object(result.output)
        #expect(verdict["verdict"] as? String == "valid" && verdict["environment"] as? String == "test")
        #expect(verdict["detail"] is NSNull)
        let receipt = try #require(verdict["receipt"] as? [String: Any])
        #expect(receipt["receipt_creation_date"] as? String == "2024-06-01T12:00:00Z")
        #expect(receipt["opaque_value"] as? String == "010203")
        #expect(receipt["expiration_date"] == nil)
        #expect((receipt["other_types"] as? [Any])?.first as? Int == 1)
        let purchase = try #require((receipt["in_app"] as? [[String: Any]])?.first)
        #expect(purchase["product_id"] as? String == "coins" && purchase["quantity"] as? Int == 2)
        #expect(purchase["is_in_intro_offer_period"] as? Bool == true)
    }

    @Test("What is refused has its verdict, and code 1 or 65")
    func refused() async throws {
        let late = TestReceipt.sandbox(.purchase("2029-12-01T00:00:00Z")).content
        let message = try authority.sign(late)
        #expect(try await verify(message).code == 0)
        let ended = try ReceiptAuthority(end: 1_717_243_201)
        try write("root.der", ended.root.der)
        var changed = message
        changed[changed.count - 1] ^= 1
        let cases: [(message: [UInt8], options: [String], verdict: String, code: Int32)] = [
            (message, [], "untrusted_chain", 1),
            (changed, [], "invalid_signature", 1),
            (try ended.sign(late), [], "certificate_expired", 1),
            (try ended.sign(TestReceipt.sandbox().content), ["--bundle-id", "com.other"], "unknown_app", 1),
            (try ended.sign(TestReceipt.sandbox().content), ["--device-id", "\(UUID())"], "wrong_device", 1),
            (try ended.sign([]), [], "malformed", 65), ([], [], "malformed", 65),
            (Array("no".utf8), [], "malformed", 65),
        ]
        for (message, options, verdict, code) in cases {
            let result = try await Tool.run(
                ["verify-receipt", "--test-root", folder["root.der"], "--format", "json"] + options,
                input: Data(message).base64EncodedString())
            #expect(result.code == code, "\(verdict)")
            let object = try object(result.output)
            #expect(object["verdict"] as? String == verdict)
            #expect(object["environment"] is NSNull && object["receipt"] == nil)
            #expect((object["detail"] as? String)?.contains(": ") == true)
        }
    }

    @Test("An input of more bytes than are read has the verdict too_large, as text and as JSON")
    func tooLarge() async throws {
        let input = String(repeating: "A", count: 6 << 20) + "AAAA"
        let text = try await Tool.adsign("verify-receipt", input: input)
        #expect(text.code == 65 && text.errors.isEmpty, "\(text.errors)")
        #expect(text.lines == ["verdict: too_large", "detail: standard input: must have at most 6291456 bytes"])
        let json = try await Tool.adsign("verify-receipt", "--format", "json", input: input)
        #expect(json.code == 65)
        #expect(try object(json.output)["verdict"] as? String == "too_large")
    }

    @Test("Wrong options, roots and files have codes 64, 65 and 66")
    func usage() async throws {
        let message = try authority.sign(TestReceipt.sandbox().content)
        #expect(try await verify(message, "--device-id", "iPhone").code == 64)
        #expect(try await verify(message, "--format", "xml").code == 64)
        try write("root.der", Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8))
        #expect(try await verify(message).code == 65)
        #expect(try await Tool.adsign("verify-receipt", folder["none"]).code == 66)
        #expect(try await Tool.adsign("verify-receipt", input: "not base64").code == 65)
    }
}
