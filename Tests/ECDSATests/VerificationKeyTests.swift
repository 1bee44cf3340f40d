import AdAttribution
import Encodings
import Foundation
import TestSupport
import Testing

@testable import ECDSA

/// Public keys: PEM, and SubjectPublicKeyInfo in base64 as Apple prints it.
@Suite("Public keys")
struct VerificationKeyTests {
    @Test(
        "Apple's keys parse, on the right curve and in the right environment",
        arguments: [
            (AppleKey.skadnetworkP192, Curve.p192, AttributionEnvironment.production),
            (.production, .p256, .production),
            (.development, .p256, .development), (.developerSettings, .p256, .development),
        ])
    func apple(_ apple: AppleKey, _ curve: Curve, _ environment: AttributionEnvironment) throws {
        let key = try PostbackKey(apple)
        #expect(key.key.curve == curve)
        #expect(key.environment == environment)
        #expect(key.name == apple.rawValue)
        #expect(Base64.encode(key.key.subjectPublicKeyInfo) == apple.subjectPublicKeyInfo)
    }

    @Test("Apple has four keys, all different")
    func appleKeys() {
        #expect(Set(AppleKey.allCases.map(\.subjectPublicKeyInfo)).count == 4)
        #expect(AppleKey.allCases.allSatisfy { $0.rawValue.hasPrefix(AppleKey.namePrefix) })
    }

    @Test("PEM, base64 and base64 broken into lines are one key", arguments: Curve.allCases)
    func forms(_ curve: Curve) throws {
        let key = try SigningKey.generate(curve).publicKey
        let base64 = Base64.encode(key.subjectPublicKeyInfo)
        let lines = " \(base64.prefix(40))\r\n\t\(base64.dropFirst(40))\n"
        for text in [key.pem, base64, lines, "\n" + key.pem + "\n"] {
            let same = try VerificationKey(text)
            #expect(same.curve == curve)
            #expect(same.subjectPublicKeyInfo == key.subjectPublicKeyInfo)
        }
    }

    @Test("Bytes after the key are refused, and so is every shorter form of it", arguments: AppleKey.allCases)
    func length(_ apple: AppleKey) throws {
        let der = try PostbackKey(apple).key.subjectPublicKeyInfo
        #expect(throws: KeyError.unreadable) { try VerificationKey(subjectPublicKeyInfo: der + [0]) }
        #expect(throws: KeyError.unreadable) { try VerificationKey(subjectPublicKeyInfo: der + der) }
        #expect(throws: KeyError.unreadable) { try VerificationKey(Base64.encode(der + [0])) }
        for length in 0..<der.count {
            #expect(throws: KeyError.unreadable) {
                try VerificationKey(subjectPublicKeyInfo: Array(der.prefix(length)))
            }
        }
    }

    @Test("A point that is not on the curve is refused", arguments: AppleKey.allCases)
    func offCurve(_ apple: AppleKey) throws {
        var der = try PostbackKey(apple).key.subjectPublicKeyInfo
        der[der.count - 1] ^= 1
        #expect(throws: KeyError.unreadable) { try VerificationKey(subjectPublicKeyInfo: der) }
    }

    @Test(
        "The point at infinity is refused, because anybody could sign for it",
        arguments: [
            "3019301306072a8648ce3d020106082a8648ce3d03010703020000",
            "3019301306072a8648ce3d020106082a8648ce3d03010103020000",
        ])
    func infinity(_ hex: String) throws {
        let der = try [UInt8](hex: hex)
        #expect(throws: KeyError.unreadable) { try VerificationKey(subjectPublicKeyInfo: der) }
        let pem = "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(der))\n-----END PUBLIC KEY-----\n"
        #expect(throws: KeyError.unreadable) { try VerificationKey(pem) }
    }

    @Test(
        "A key that spells out the parameters of its curve is refused",
        .enabled("the openssl command is not installed", OpenSSLCommand.isInstalled))
    func explicitParameters() async throws {
        let arguments = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-pkeyopt"]
        for (encoding, isRead) in [("named_curve", true), ("explicit", false)] {
            let pem = try await OpenSSLCommand.output(of: arguments + ["ec_param_enc:\(encoding)"])
            #expect(((try? SigningKey(pem: pem)) != nil) == isRead)
        }
        let explicit = try await OpenSSLCommand.output(of: arguments + ["ec_param_enc:explicit"])
        #expect(throws: KeyError.wrongCurve) { try SigningKey(pem: explicit) }
    }

    @Test("A private key in the place of a public one is called so, also if it is encrypted or on another curve")
    func privateHalf() throws {
        let passphrase = try #require(Passphrase(file: Array("secret".utf8)))
        let key = try SigningKey.generate()
        for text in [key.pem, key.pem(encryptedWith: passphrase), try SigningKey.generate(.p192).pem] {
            let error = #expect(throws: KeyError.self) { try VerificationKey(text) }
            #expect(error == .privateKey)
            #expect(error?.description == "is a private key; a public key is wanted")
        }
        // Of a file with both halves, the public one is taken.
        #expect(try VerificationKey(key.pem + key.publicKey.pem).pem == key.publicKey.pem)
    }

    @Test("A text that is not a public key can't be read")
    func garbage() throws {
        let key = try SigningKey.generate()
        let texts = [
            "", "   ", "secret-text", "AAAA", "MFkw", "-----BEGIN PUBLIC KEY-----",
            "-----BEGIN PUBLIC KEY-----\n-----END",
            String(key.publicKey.pem.dropLast(30)),
            String(AppleKey.production.subjectPublicKeyInfo.dropLast()),
            AppleKey.production.subjectPublicKeyInfo.replacing("+", with: "-"), "\u{0}", "ÄÖÜß",
        ]
        for text in texts {
            let error = #expect(throws: KeyError.self) { try VerificationKey(text) }
            #expect(error == .unreadable)
        }
    }
}
