import Foundation
import TestSupport
import Testing

@testable import Encodings

/// Base64 with one spelling for each byte string; Foundation's is the second opinion.
@Suite("Base64")
struct Base64Tests {
    private func decode(_ text: String, _ alphabet: Base64.Alphabet = .standard) -> [UInt8]? {
        Array(text.utf8).withUnsafeBufferPointer { Base64.decode($0, alphabet) }
    }

    @Test("Random bytes of every length are written as by Foundation, and can be read again")
    func roundTrip() {
        var random = SeededGenerator(seed: 64)
        for round in 0..<3_000 {
            let bytes = random.bytes(round % 100)
            let text = Base64.encode(bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(decode(text) == bytes)
        }
    }

    @Test("A text is accepted only in the spelling that encoding gives, and Foundation reads the same bytes")
    func oneSpelling() {
        var random = SeededGenerator(seed: 65)
        let alphabet = Array("ABCDwxyz0189+/==-_ \n".utf8)
        var accepted = 0
        for _ in 0..<40_000 {
            let count = [2, 3, 4, 4, 4, 5, 8, 8].randomElement(using: &random) ?? 4
            let text = String(
                decoding: (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }, as: UTF8.self)
            guard let bytes = decode(text) else { continue }
            accepted += 1
            #expect(Base64.encode(bytes) == text)
            #expect(Data(base64Encoded: text) == Data(bytes))
        }
        #expect(accepted > 1_000)
    }

    @Test(
        "Padding, white space, the alphabet and the last bits are read strictly",
        arguments: [
            "A", "AA", "AAA", "AAA=A", "AA=A", "A===", "====", "=AAA", "AAAA=", "AAAA====", "AA==AAAA", "AB==", "AAB=",
            "AAAA\n",
            " AAAA", "AA AA", "AA-A", "AA_A", "AAAÄ", "AA\u{0}A", "\u{FEFF}A",
        ])
    func strict(_ text: String) {
        #expect(decode(text) == nil)
    }

    @Test(
        "The vectors of RFC 4648 are encoded and decoded",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func vectors(_ plain: String, _ text: String) {
        #expect(Base64.encode(Array(plain.utf8)) == text)
        #expect(decode(text) == Array(plain.utf8))
    }

    @Test("The alphabet for URLs differs in two characters and the padding, at every length")
    func urlRoundTrip() {
        var random = SeededGenerator(seed: 66)
        for round in 0..<3_000 {
            let bytes = random.bytes(round % 100)
            let text = Base64.encode(bytes, .urlSafe)
            #expect(text == TestJWS.base64URL(bytes))
            #expect(decode(text, .urlSafe) == bytes)
        }
    }

    @Test("With the alphabet for URLs, a text is accepted only in the spelling that encoding gives")
    func urlOneSpelling() throws {
        var random = SeededGenerator(seed: 67)
        let alphabet = Array("ABCDwxyz0189-_-_+/= \n".utf8)
        var accepted = 0
        for _ in 0..<40_000 {
            let count = [0, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7].randomElement(using: &random) ?? 4
            let text = String(
                decoding: (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }, as: UTF8.self)
            guard let bytes = decode(text, .urlSafe) else { continue }
            accepted += 1
            #expect(Base64.encode(bytes, .urlSafe) == text)
            #expect(try TestJWS.bytes(base64URL: text) == bytes)
        }
        #expect(accepted > 1_000)
    }

    @Test(
        "With the alphabet for URLs, padding, plus, slash, white space and set bits after the last byte are refused",
        arguments: [
            "A", "AAAAA", "AA==", "AAA=", "AA=", "=", "AAAA=", "AB", "A_", "AAB", "AA_", "AA+A", "AA/A", "AAAA\n",
            " AAAA", "AAAÄ", "AA\u{0}A", "\u{FEFF}A", "AA.A",
        ])
    func urlStrict(_ text: String) {
        #expect(decode(text, .urlSafe) == nil)
    }

    @Test(
        "The vectors of RFC 4648 and RFC 7515 are encoded and decoded with the alphabet for URLs",
        arguments: [
            ([], ""), ([0x66], "Zg"), ([0x66, 0x6F], "Zm8"), ([0x66, 0x6F, 0x6F], "Zm9v"),
            ([3, 236, 255, 224, 193], "A-z_4ME"), ([0xFB, 0xFF], "-_8"), ([0xFF, 0xFF, 0xFF], "____"),
        ] as [([UInt8], String)])
    func urlVectors(_ bytes: [UInt8], _ text: String) {
        #expect(Base64.encode(bytes, .urlSafe) == text)
        #expect(decode(text, .urlSafe) == bytes)
        #expect(bytes.isEmpty || decode(text) == nil || text.count % 4 == 0)
    }
}
