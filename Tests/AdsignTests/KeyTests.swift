import AdAttribution
import Foundation
import TestSupport
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

    @Test("Halves of a key pair that are mixed up are called so, without advice to hide the public one")
    func mixedUp() async throws {
        try folder.write("pass.txt", "open sesame\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder["pass.txt"])
        _ = try await Tool.adsign("keygen", "--out", folder["key.pem"])
        _ = try await Tool.adsign(
            "keygen", "--out", folder["locked.pem"], "--passphrase-file", folder["pass.txt"])
        _ = try await Tool.adsign("public-key", "--key", folder["key.pem"], "--out", folder["pub.pem"])
        #expect(try folder.mode("pub.pem").map { $0 & 0o044 } == 0o044)
        for command in [["sign"] + Self.impression, ["public-key"]] {
            let swapped = try await Tool.run(command + ["--key", folder["pub.pem"]])
            #expect(swapped.code == 65 && swapped.output.isEmpty)
            #expect(
                swapped.errors == "adsign: \(folder["pub.pem"]): is a public key; a private key is wanted\n",
                "\(swapped.errors)")
        }
        for name in ["key.pem", "locked.pem"] {
            let swapped = try await Tool.adsign("verify", "--public-key", folder[name], input: "{}")
            #expect(swapped.code == 65 && swapped.output.isEmpty)
            #expect(
                swapped.errors == "adsign: \(folder[name]): is a private key; a public key is wanted\n",
                "\(swapped.errors)")
        }
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

    private static let impression = [
        "--ad-network-id", "example123.skadnetwork", "--source-identifier", "5239", "--itunes-item-id", "525463029",
        "--source-app-id", "1234567891", "--fidelity-type", "1",
    ]

    @Test("A key that keygen encrypts signs with its passphrase only, and no error shows the passphrase")
    func encrypted() async throws {
        try folder.write("pass.txt", "open sesame\n")
        try folder.write("other.txt", "abracadabra\n")
        for name in ["pass.txt", "other.txt"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder[name])
        }
        let opening = ["--key", folder["key.pem"], "--passphrase-file", folder["pass.txt"]]
        let made = try await Tool.adsign(
            "keygen", "--out", folder["key.pem"], "--passphrase-file", folder["pass.txt"])
        #expect(made.code == 0)
        #expect(try folder.read("key.pem").contains("BEGIN ENCRYPTED PRIVATE KEY"))
        let publicKey = try await Tool.run(["public-key"] + opening)
        let other = try await Tool.openssl(
            "pkey", "-in", folder["key.pem"], "-passin", "file:" + folder["pass.txt"], "-pubout")
        #expect(publicKey.output == other.output && !other.output.isEmpty)
        try folder.write("key.pub.pem", publicKey.output)
        let signed = try await Tool.run(["sign"] + opening + Self.impression)
        #expect(signed.code == 0)
        let verified = try await Tool.adsign("verify", "--public-key", folder["key.pub.pem"], input: signed.output)
        #expect(verified.code == 0)
        for (options, rule) in [
            ([], "encrypted, and no passphrase is given"),
            (["--passphrase-file", folder["other.txt"]], "encrypted, and the passphrase does not open it"),
        ] {
            let refused = try await Tool.run(["sign", "--key", folder["key.pem"]] + options + Self.impression)
            #expect(refused.code == 65)
            #expect(refused.errors.contains(rule) && !refused.errors.contains("abracadabra"), "\(refused.errors)")
        }
    }

    @Test(
        "A key in a token signs, one by one and in batches, and public-key prints its public half",
        .enabled(if: SoftToken.isInstalled, SoftToken.reason))
    func token() async throws {
        let key = try SigningKey.generate()
        let token = try await SoftToken.create(in: folder.folder, with: key)
        let opening = ["--key", SoftToken.uri, "--passphrase-file", token.pinFile]
        let publicKey = try await Tool.run(["public-key"] + opening, environment: token.environment)
        #expect(publicKey.output == key.publicKey.pem, "\(publicKey.errors)")
        try folder.write("key.pub.pem", publicKey.output)
        let one = try await Tool.run(["sign"] + opening + Self.impression, environment: token.environment)
        #expect(one.code == 0, "\(one.errors)")
        let line =
            #"{"ad-network-id":"example123.skadnetwork","source-identifier":5239,"itunes-item-id":525463029,"#
            + #""source-app-id":1234567891,"fidelity-type":1}"# + "\n"
        let batch = try await Tool.run(
            ["sign", "--batch", "--threads", "4"] + opening, input: String(repeating: line, count: 500),
            environment: token.environment)
        #expect(batch.code == 0 && batch.lines.count == 500, "\(batch.errors)")
        let verified = try await Tool.adsign(
            "verify", "--public-key", folder["key.pub.pem"], input: one.output + batch.output)
        #expect(verified.code == 0 && verified.lines.count == 501)
    }

    @Test(
        "A wrong URI of a token is a wrong command line; a wrong PIN and a missing key are named",
        .enabled(if: SoftToken.isInstalled, SoftToken.reason))
    func badToken() async throws {
        let token = try await SoftToken.create(in: folder.folder, with: try SigningKey.generate())
        try folder.write("wrong.txt", "98765")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder["wrong.txt"])
        for (uri, file, code, text) in [
            ("pkcs11:token=ads?pin-value=1", token.pinFile, Int32(64), "must be pkcs11:"),
            (SoftToken.uri, folder["wrong.txt"], 65, "the token can't be used: PIN incorrect"),
            ("pkcs11:token=ads;object=none", token.pinFile, 65, "the token can't be used: object not found"),
        ] {
            let refused = try await Tool.run(
                ["public-key", "--key", uri, "--passphrase-file", file], environment: token.environment)
            #expect(refused.code == code)
            #expect(refused.errors.contains(text) && !refused.errors.contains("98765"), "\(refused.errors)")
        }
    }
}
