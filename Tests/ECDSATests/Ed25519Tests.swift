import ECDSA
import TestSupport
import Testing

@Suite("Ed25519")
struct Ed25519Tests {
    /// A row of RFC 8032, section 7.1, in hexadecimal.
    struct Vector: Sendable {
        let seed, publicKey, message, signature: String
    }

    private static let vectors = [
        Vector(
            seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", message: "",
            signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b4"
                + "6bd25bf5f0595bbe24655141438e7a100b"),
        Vector(
            seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", message: "af82",
            signature: "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6"
                + "594a7c15e9716ed28dc027beceea1ec40a"),
    ]

    @Test("The vectors of RFC 8032 give their public keys and signatures", arguments: vectors)
    func rfc8032(_ vector: Vector) throws {
        let key = try #require(Ed25519PrivateKey(seed: [UInt8](hex: vector.seed)))
        let (message, signature) = (try [UInt8](hex: vector.message), try [UInt8](hex: vector.signature))
        #expect(key.publicKey.bytes == (try [UInt8](hex: vector.publicKey)))
        #expect(key.signature(of: message) == signature)
        #expect(key.publicKey.isValid(signature: signature, for: message))
    }

    @Test("A change of any byte of the signature, a longer message and another key are refused")
    func refused() throws {
        let vector = Self.vectors[1]
        let key = try #require(Ed25519PublicKey([UInt8](hex: vector.publicKey)))
        let (message, signature) = (try [UInt8](hex: vector.message), try [UInt8](hex: vector.signature))
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.isValid(signature: changed, for: message), "byte \(index)")
        }
        #expect(!key.isValid(signature: signature, for: message + [0]))
        for wrong in [[], Array(signature.dropLast()), signature + [0]] {
            #expect(!key.isValid(signature: wrong, for: message), "\(wrong.count) bytes")
        }
        let other = try #require(Ed25519PublicKey([UInt8](hex: Self.vectors[0].publicKey)))
        #expect(!other.isValid(signature: signature, for: message))
    }

    @Test("Only 32 bytes are a key", arguments: [0, 31, 33, 64])
    func sizes(_ count: Int) {
        #expect(Ed25519PrivateKey(seed: [UInt8](repeating: 7, count: count)) == nil)
        #expect(Ed25519PublicKey([UInt8](repeating: 7, count: count)) == nil)
    }

    @Test("No description shows a private key")
    func silence() throws {
        let key = try #require(Ed25519PrivateKey(seed: [UInt8](repeating: 0xAB, count: 32)))
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!"\(key) \(String(reflecting: key)) \(dumped)".contains("171"))
    }
}

@Suite("HMAC-SHA256")
struct HMACKeyTests {
    @Test("The second vector of RFC 4231 gives its code, and only that is valid")
    func rfc4231() throws {
        let key = HMACKey(Array("Jefe".utf8))
        let message = Array("what do ya want for nothing?".utf8)
        let code = try [UInt8](hex: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(key.code(of: message) == code)
        #expect(key.isValid(code: code, for: message))
        for index in code.indices {
            var changed = code
            changed[index] ^= 1
            #expect(!key.isValid(code: changed, for: message), "byte \(index)")
        }
        for wrong in [[], Array(code.dropLast()), code + [0]] {
            #expect(!key.isValid(code: wrong, for: message), "\(wrong.count) bytes")
        }
        #expect(!key.isValid(code: code, for: message + [0]))
    }
}
