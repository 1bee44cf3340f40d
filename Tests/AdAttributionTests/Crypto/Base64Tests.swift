import Foundation
import TestSupport
import Testing

@testable import AdAttribution

/// Base64 with one spelling for each byte string; Foundation's is the second opinion.
@Suite("Base64")
struct Base64Tests {
    private func decode(_ text: String) -> [UInt8]? {
        Array(text.utf8).withUnsafeBufferPointer { Base64.decode($0) }
    }

    @Test("Random bytes of every length are written as Foundation writes them, and read back")
    func roundTrip() {
        var random = SeededGenerator(seed: 64)
        for round in 0..<3_000 {
            let bytes = random.bytes(round % 100)
            let text = Base64.encode(bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(decode(text) == bytes)
        }
    }

    @Test("What is accepted is the one spelling that encoding gives, and Foundation reads it alike")
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
        "The vectors of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func vectors(_ plain: String, _ text: String) {
        #expect(Base64.encode(Array(plain.utf8)) == text)
        #expect(decode(text) == Array(plain.utf8))
    }
}
