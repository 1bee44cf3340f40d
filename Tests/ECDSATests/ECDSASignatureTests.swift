import TestSupport
import Testing

@testable import ECDSA

/// The two spellings of a signature, DER and R and S side by side.
@Suite("ECDSA signature forms")
struct ECDSASignatureTests {
    @Test("Both conversions give what this test computes, and the signature still verifies")
    func roundTrip() throws {
        let key = try SigningKey.generate()
        for number in 0..<400 {
            let message = Array("message \(number)".utf8)
            let der = try key.signature(of: message)
            let concatenated = try #require(ECDSASignature.concatenated(der: der))
            #expect(try concatenated == TestJWS.concatenated(der))
            #expect(ECDSASignature.der(concatenated: concatenated) == der)
        }
    }

    @Test(
        "Numbers are written without leading zeros and never negative",
        arguments: [
            ([0x00], [0x02, 0x01, 0x00]), ([0x01], [0x02, 0x01, 0x01]), ([0x7F], [0x02, 0x01, 0x7F]),
            ([0x80], [0x02, 0x02, 0x00, 0x80]), ([0x01, 0x00], [0x02, 0x02, 0x01, 0x00]),
            ([0xFF, 0xFF], [0x02, 0x03, 0x00, 0xFF, 0xFF]),
        ] as [([UInt8], [UInt8])])
    func numbers(_ digits: [UInt8], _ encoded: [UInt8]) {
        let half = [UInt8](repeating: 0, count: 32 - digits.count) + digits
        let der = [0x30, UInt8(2 * encoded.count)] + encoded + encoded
        #expect(ECDSASignature.der(concatenated: half + half) == der)
        #expect(ECDSASignature.concatenated(der: der) == half + half)
    }

    @Test("Only 64 bytes can be R and S", arguments: [0, 1, 32, 48, 63, 65, 96, 128])
    func size(_ count: Int) {
        #expect(ECDSASignature.der(concatenated: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test("DER that is not two numbers of P-256 can't be converted")
    func garbage() throws {
        let large: [UInt8] = [0x02, 33, 0x01] + [UInt8](repeating: 0, count: 32)
        for der in [
            [], [0x30], [0x30, 0x00], [0x30, 0x03, 0x02, 0x01, 0x01], [0x30, UInt8(2 * large.count)] + large + large,
        ] {
            #expect(ECDSASignature.concatenated(der: der) == nil)
        }
        // A refused one leaves no trace that spoils the next.
        let key = try SigningKey.generate()
        let signature = try key.signature(of: [1])
        #expect(key.publicKey.isValid(signature: signature, for: [1]))
    }

    @Test("Random bytes never trap")
    func noise() {
        var random = SeededGenerator(seed: 64)
        for _ in 0..<2_000 {
            var der = random.bytes(Int.random(in: 0...80, using: &random))
            if der.count > 2 { (der[0], der[1]) = (0x30, UInt8(der.count - 2)) }
            if let concatenated = ECDSASignature.concatenated(der: der) { #expect(concatenated.count == 64) }
            let bytes = random.bytes(64)
            #expect(ECDSASignature.der(concatenated: bytes).flatMap { ECDSASignature.concatenated(der: $0) } == bytes)
        }
    }
}
