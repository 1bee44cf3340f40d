import Foundation
import Testing

@Suite("Keys", .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct KeyTests {
    let folder: Scratch

    init() throws {
        folder = try Scratch()
    }

    @Test("keygen writes mode 0600 and prints nothing of the key", arguments: ["p256", "p192"])
    func keygen(curve: String) async throws {
        let made = try await Tool.adsign("keygen", "--out", folder["key.pem"], "--curve", curve)
        #expect(made.code == 0)
        #expect(made.output.isEmpty)
        #expect(made.errors.contains(folder["key.pem"]))
        #expect(!made.errors.contains("BEGIN"))
        #expect(try folder.mode("key.pem") == 0o600)
        let text = try await Tool.openssl("ec", "-in", folder["key.pem"], "-noout", "-text")
        #expect(text.output.contains(curve == "p256" ? "prime256v1" : "prime192v1"))
    }

    @Test("keygen overwrites nothing, not even through a link without a target")
    func refusesToOverwrite() async throws {
        try folder.write("key.pem", "mine")
        try FileManager.default.createSymbolicLink(
            atPath: folder["link.pem"], withDestinationPath: folder["elsewhere.pem"])
        for name in ["key.pem", "link.pem"] {
            let made = try await Tool.adsign("keygen", "--out", folder[name])
            #expect(made.code == 66)
            #expect(made.errors.contains(folder[name]))
        }
        #expect(try folder.read("key.pem") == "mine")
        #expect(!FileManager.default.fileExists(atPath: folder["elsewhere.pem"]))
    }

    @Test("public-key prints what openssl prints, for both PEM forms")
    func publicKey() async throws {
        _ = try await Tool.openssl(
            "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", folder["sec1.pem"])
        _ = try await Tool.openssl(
            "pkcs8", "-topk8", "-nocrypt", "-in", folder["sec1.pem"], "-out", folder["pkcs8.pem"])
        #expect(try folder.read("sec1.pem").contains("BEGIN EC PRIVATE KEY"))
        #expect(try folder.read("pkcs8.pem").contains("BEGIN PRIVATE KEY"))
        let expected = try await Tool.openssl("pkey", "-in", folder["sec1.pem"], "-pubout").output
        for name in ["sec1.pem", "pkcs8.pem"] {
            #expect(try await Tool.adsign("public-key", "--key", folder[name]).output == expected)
        }
        // A result never replaces a file, least of all the private key.
        let clash = try await Tool.adsign("public-key", "--key", folder["sec1.pem"], "--out", folder["sec1.pem"])
        #expect(clash.code == 66)
        #expect(try folder.read("sec1.pem").contains("BEGIN EC PRIVATE KEY"))
    }

    @Test("A missing key, a wrong file and a key on the wrong curve are errors")
    func badKeys() async throws {
        #expect(try await Tool.adsign("public-key", "--key", folder["none.pem"]).code == 66)
        try folder.write("text.pem", "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n")
        let text = try await Tool.adsign("public-key", "--key", folder["text.pem"])
        #expect(text.code == 65)
        #expect(!text.errors.contains("c2VjcmV0"))
        try folder.write("long.pem", String(repeating: "x", count: 70_000))
        #expect(try await Tool.adsign("public-key", "--key", folder["long.pem"]).code == 65)
        _ = try await Tool.adsign("keygen", "--out", folder["p192.pem"], "--curve", "p192")
        let sign = try await Tool.adsign(
            "sign", "--key", folder["p192.pem"], "--ad-network-id", "example123.skadnetwork", "--source-identifier",
            "5239", "--itunes-item-id", "1", "--source-app-id", "2", "--fidelity-type", "1")
        #expect(sign.code == 65)
        #expect(sign.errors.contains("P-256"))
    }

    @Test("A private key that others can read is used with a warning")
    func warns() async throws {
        _ = try await Tool.adsign("keygen", "--out", folder["key.pem"])
        #expect(try await Tool.adsign("public-key", "--key", folder["key.pem"]).errors.isEmpty)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder["key.pem"])
        let result = try await Tool.adsign("public-key", "--key", folder["key.pem"])
        #expect(result.code == 0)
        #expect(result.errors.contains("warning"))
    }
}
