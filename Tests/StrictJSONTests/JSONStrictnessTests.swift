import Testing

@testable import StrictJSON

/// Bytes that are no JSON object, or one that parsers disagree about, are refused at a named byte.
@Suite("JSON strictness")
struct JSONStrictnessTests {
    private func expect(
        _ bytes: [UInt8], _ rule: JSONError.Rule, at offset: Int, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(refusal(of: bytes) == JSONError(rule, at: offset), sourceLocation: location)
    }

    @Test(
        "The refusal names the byte",
        arguments: [
            ("", .unexpectedEnd, 0), ("  \n", .unexpectedEnd, 3), ("{", .unexpectedEnd, 1), ("}", .unexpectedByte, 0),
            ("[]", .notAnObject, 0), (" 5", .notAnObject, 1), (#""a""#, .notAnObject, 0), ("null", .notAnObject, 0),
            ("[", .unexpectedEnd, 1), ("[1,]", .unexpectedByte, 3), ("nul", .unexpectedEnd, 3),
            ("True", .unexpectedByte, 0), ("{a:1}", .unexpectedByte, 1), ("{'a':1}", .unexpectedByte, 1),
            (#"{"a":1,}"#, .unexpectedByte, 7), (#"{,"a":1}"#, .unexpectedByte, 1), (#"{"a" 1}"#, .unexpectedByte, 5),
            (#"{"a":1 "b":2}"#, .unexpectedByte, 7), (#"{"a":}"#, .unexpectedByte, 5), (#"{"a"}"#, .unexpectedByte, 4),
            (#"{"a":1}x"#, .trailingBytes, 7), (#"{"a":1} {}"#, .trailingBytes, 8), ("{}\u{0}", .trailingBytes, 2),
            (#"{"a":tru}"#, .unexpectedByte, 8), (#"{"a":nulll}"#, .unexpectedByte, 9),
            (#"{"a":1/**/}"#, .unexpectedByte, 6),
            (#"{"a":01}"#, .unexpectedByte, 6), (#"{"a":-01}"#, .unexpectedByte, 7), (#"{"a":-}"#, .unexpectedByte, 6),
            (#"{"a":+1}"#, .unexpectedByte, 5), (#"{"a":.5}"#, .unexpectedByte, 5), (#"{"a":1.}"#, .unexpectedByte, 7),
            (#"{"a":1e}"#, .unexpectedByte, 7), (#"{"a":1e+}"#, .unexpectedByte, 8),
            (#"{"a":0x1}"#, .unexpectedByte, 6),
            (#"{"a":NaN}"#, .unexpectedByte, 5), (#"{"a":Infinity}"#, .unexpectedByte, 5),
            (#"{"a":-Infinity}"#, .unexpectedByte, 6),
            (#"{"a":1_000}"#, .unexpectedByte, 6), (#"{"a":"\x"}"#, .invalidEscape, 6),
            (#"{"a":"\u12"}"#, .invalidEscape, 10),
            (#"{"a":"\u00g0"}"#, .invalidEscape, 10), (#"{"a":"\U0041"}"#, .invalidEscape, 6),
            (#"{"a":"\'"}"#, .invalidEscape, 6),
            (#"{"a":"\ud800"}"#, .invalidEscape, 6), (#"{"a":"\udc00"}"#, .invalidEscape, 6),
            (#"{"a":"\ud800x"}"#, .invalidEscape, 6), (#"{"a":"\ud800\u0041"}"#, .invalidEscape, 6),
            (#"{"a":"\ud800\ud800"}"#, .invalidEscape, 6), (#"{"a":"\udc00\ud800"}"#, .invalidEscape, 6),
            (#"{"\ud800":1}"#, .invalidEscape, 2), (#"{"a":"abc}"#, .unexpectedEnd, 10),
            (#"{"a":"\"#, .unexpectedEnd, 7),
            (#"{"a":"\u00"#, .unexpectedEnd, 10), ("\u{FEFF}{}", .unexpectedByte, 0), ("{\u{A0}}", .unexpectedByte, 1),
            ("{\u{C}}", .unexpectedByte, 1), ("{\"a\":\"\n\"}", .unexpectedByte, 6),
            ("{\"a\":\"\t\"}", .unexpectedByte, 6),
            ("{\"a\":\"\u{0}\"}", .unexpectedByte, 6), ("{\"a\":\"\u{1F}\"}", .unexpectedByte, 6),
            ("{\"\u{0}\":1}", .unexpectedByte, 2),
        ] as [(String, JSONError.Rule, Int)])
    func offsets(_ text: String, _ rule: JSONError.Rule, _ offset: Int) {
        expect(Array(text.utf8), rule, at: offset)
    }

    @Test(
        "A key that occurs twice is refused at its second place, however it is written and wherever it is",
        arguments: [
            (#"{"a":1,"a":1}"#, 7), (#"{"a":1,"b":2,"a":{}}"#, 13), (#"{"a":1,"\u0061":1}"#, 7),
            (#"{"\u0061":1,"a":1}"#, 12),
            (#"{"\u0061":1,"\u0061":1}"#, 12), (#"{"":1,"":2}"#, 6), (#"{"x":{"a":1,"a":2}}"#, 12),
            (#"{"x":[{"a":1,"\u0061":2}]}"#, 13), (#"{"/":1,"\/":2}"#, 7), (#"{"é":1,"\u00e9":2}"#, 8),
            (#"{"😀":1,"\ud83d\uDE00":2}"#, 10), (#"{"a\nb":1,"a\u000ab":2}"#, 10),
        ])
    func duplicateKeys(_ text: String, _ offset: Int) {
        expect(Array(text.utf8), .duplicateKey, at: offset)
    }

    @Test("Keys are compared byte for byte: two Unicode forms of a letter, or two letter cases, are two keys")
    func distinctKeys() {
        #expect(refusal(of: "{\"\u{E9}\":1,\"e\u{301}\":2,\"E\u{301}\":3}") == nil)
    }

    @Test("A UTF-8 sequence that is cut is refused at every cut", arguments: ["é", "€", "한", "😀", "\u{10FFFF}"])
    func halfSequences(_ character: String) {
        let sequence = Array(character.utf8)
        for length in 1..<sequence.count {
            let cut = Array(#"{"a":""#.utf8) + sequence.prefix(length)
            expect(cut, .invalidUTF8, at: 6)
            expect(cut + Array(#""}"#.utf8), .invalidUTF8, at: 6)
            expect(cut + Array(#"aaaa"}"#.utf8), .invalidUTF8, at: 6)
            expect(Array(#"{""#.utf8) + sequence.prefix(length) + Array(#"":1}"#.utf8), .invalidUTF8, at: 2)
            expect(Array(#"{"a":""#.utf8) + sequence.dropFirst(length) + Array(#""}"#.utf8), .invalidUTF8, at: 6)
        }
        #expect(refusal(of: "{\"a\":\"\(character)\"}") == nil)
    }

    @Test(
        "Overlong forms, surrogates and values above U+10FFFF are not UTF-8",
        arguments: [
            [0xC0, 0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0x80],
            [0xBF], [0xC3, 0xC3], [0xE2, 0x81, 0x23], [0xF0, 0x9F, 0x98, 0x22],
        ] as [[UInt8]])
    func illFormed(_ sequence: [UInt8]) {
        expect(Array(#"{"a":""#.utf8) + sequence + Array(#""}"#.utf8), .invalidUTF8, at: 6)
    }

    @Test(
        "A byte order mark, UTF-16 and bytes outside of a string are refused at the first byte",
        arguments: [[0xEF, 0xBB, 0xBF, 0x7B, 0x7D], [0xFF, 0xFE, 0x7B, 0x00], [0x00, 0x7B, 0x00, 0x7D], [0x80]]
            as [[UInt8]])
    func encodings(_ bytes: [UInt8]) {
        expect(bytes, .unexpectedByte, at: 0)
    }

    @Test("Every Unicode scalar reads back as itself, raw or escaped")
    func scalars() throws {
        let ranges = [0x20...0x2FF, 0xD700...0xD7FF, 0xE000...0xE0FF, 0xFF00...0x10100, 0x10FF00...0x10FFFF]
        for value in ranges.joined() {
            let scalar = try #require(Unicode.Scalar(UInt32(value)))
            let escaped = String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            let text = "{\"version\":\"\(escaped.joined())\"}"
            Array(text.utf8).withUnsafeBufferPointer { bytes in
                #expect(refusal(of: text) == nil)
                let range = JSONStringRange(start: 12, end: bytes.count - 2, hasEscapes: true)
                #expect(JSONToken.text(bytes, range).unicodeScalars.elementsEqual([scalar]))
            }
        }
    }
}
