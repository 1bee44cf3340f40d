import Encodings
import Testing

@testable import StrictJSON

/// An excerpt has so many bytes at most, whatever it is cut out of.
@Suite("Excerpts")
struct JSONExcerptTests {
    private func excerpt(_ json: String) throws -> String {
        try Array(#"{"a":\#(json)}"#.utf8).withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes, maximumDepth: 8)
            var excerpt = ""
            try scanner.scanDocument { (_, token) throws(JSONError) in excerpt = token.excerpt(bytes) }
            return excerpt
        }
    }

    /// One character of 16 KiB: a letter with combining marks.
    private static let longCharacter = "e" + String(repeating: "\u{301}", count: 8_000)

    @Test("A character of 16 KiB is cut like any other text, by bytes")
    func longCharacter() throws {
        #expect(Self.longCharacter.count == 1)
        let expected = "e" + String(repeating: "\u{301}", count: 29)
        #expect(expected.utf8.count == 59)
        #expect(try excerpt("\"\(Self.longCharacter)\"").utf8.elementsEqual("\"\(expected)\"".utf8))
        #expect(Self.longCharacter.prefix(bytes: 60).utf8.elementsEqual(expected.utf8))
        #expect(JSONText.shown(Self.longCharacter).utf8.elementsEqual(expected.utf8))
    }

    @Test("An empty key is shown as two quotation marks")
    func emptyKey() {
        #expect(JSONText.shown("") == "\"\"")
        #expect(JSONText.shown("a\"") == "a\\\"")
    }

    @Test("A cut is between scalars", arguments: ["a", "é", "€", "😀"])
    func boundaries(_ character: String) throws {
        let text = String(repeating: character, count: 100)
        let expected = String(repeating: character, count: 60 / character.utf8.count)
        #expect(text.prefix(bytes: 60) == expected)
        #expect(try excerpt("\"\(text)\"") == "\"\(expected)\"")
        #expect(try excerpt("\"x\(text)\"") == "\"x\(("x" + text).prefix(bytes: 60).dropFirst())\"")
        #expect(try excerpt("[\"\(text)\"]") == ("[\"" + text).prefix(bytes: 60))
        for limit in 0...9 {
            #expect(text.prefix(bytes: limit).utf8.count == limit / character.utf8.count * character.utf8.count)
        }
    }

    @Test("Short values are shown whole, escapes as what they stand for")
    func short() throws {
        #expect(try excerpt(#""\u0061b\n""#) == #""ab\n""#)
        #expect(try excerpt("42") == "42")
        #expect(try excerpt("[1,2]") == "[1,2]")
        #expect("é".prefix(bytes: 2) == "é" && "é".prefix(bytes: 1).isEmpty && "".prefix(bytes: 5).isEmpty)
    }

    @Test("An escaped text is cut after what it stands for")
    func escaped() throws {
        let text = String(repeating: #"\u00e9"#, count: 2_000)
        #expect(try excerpt("\"\(text)\"") == "\"\(String(repeating: "é", count: 30))\"")
    }
}
