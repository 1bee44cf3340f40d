import Encodings
import Foundation
import Testing

@testable import ECDSA

/// RFC 6979, appendix A.2.3 (P-192) and A.2.5 (P-256), with SHA-256.
@Suite("Signatures with the nonce of RFC 6979")
struct DeterministicSignatureTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let curve: Curve
        let message: String
        let r: String
        let s: String
        var testDescription: String { "\(curve.rawValue) \(message)" }
    }

    static let vectors = [
        Vector(
            curve: .p192, message: "sample",
            r: "4B0B8CE98A92866A2820E20AA6B75B56382E0F9BFD5ECB55",
            s: "CCDB006926EA9565CBADC840829D8C384E06DE1F1E381B85"),
        Vector(
            curve: .p192, message: "test",
            r: "3A718BD8B4926C3B52EE6BBE67EF79B18CB6EB62B1AD97AE",
            s: "5662E6848A4A19B1F1AE2F72ACD4B8BBE50F1EAC65D9124F"),
        Vector(
            curve: .p256, message: "sample",
            r: "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
            s: "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"),
        Vector(
            curve: .p256, message: "test",
            r: "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
            s: "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"),
    ]

    @Test("The signatures of the RFC's vectors are the same", arguments: vectors)
    func vector(_ vector: Vector) throws {
        let key = try SigningKey(pem: Self.pem(vector.curve), curve: vector.curve)
        let signature = try DeterministicSignature(key: key).signature(of: Array(vector.message.utf8))
        let expected = Self.der(0x30, Self.integer(vector.r) + Self.integer(vector.s))
        #expect(Hexadecimal.text(signature) == Hexadecimal.text(expected))
        #expect(key.publicKey.isValid(signature: signature, for: Array(vector.message.utf8)))
    }

    @Test("Signatures of many messages verify, with keys on both curves", arguments: Curve.allCases)
    func verifies(curve: Curve) throws {
        let key = try SigningKey.generate(curve)
        let signer = try DeterministicSignature(key: key)
        for index in 0..<200 {
            let message = Array("message \(index)".utf8)
            #expect(key.publicKey.isValid(signature: try signer.signature(of: message), for: message))
        }
    }

    /// The RFC's private key as SEC1 without the public half, which libcrypto then computes.
    private static func pem(_ curve: Curve) -> String {
        let scalar: String
        let identifier: String
        switch curve {
        case .p192: (scalar, identifier) = ("6FAB034934E4C0FC9AE67F5B5659A9D7D1FEFD187EE09FD4", "2A8648CE3D030101")
        case .p256:
            (scalar, identifier) = (
                "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721", "2A8648CE3D030107"
            )
        }
        let key = der(
            0x30, [2, 1, 1] + der(0x04, bytes(scalar)) + der(0xA0, der(0x06, bytes(identifier))))
        return "-----BEGIN EC PRIVATE KEY-----\n\(Data(key).base64EncodedString())\n-----END EC PRIVATE KEY-----\n"
    }

    private static func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, UInt8(content.count)] + content
    }

    /// A positive DER integer, as short as it can be.
    private static func integer(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(bytes(hexadecimal).drop { $0 == 0 })
        return der(2, (digits.first ?? 0) & 0x80 == 0 ? digits : [0] + digits)
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let nibbles = hexadecimal.utf8.compactMap(Hexadecimal.nibble)
        return stride(from: 0, to: nibbles.count - 1, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }
}
