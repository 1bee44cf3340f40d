import StrictJSON
import Testing

@testable import AdAttribution

/// What the scanner refuses is a malformed postback, with the byte and the rule.
@Suite("Postbacks that are no JSON")
struct MalformedJSONTests {
    private func expect(_ bytes: [UInt8], _ rule: JSONError.Rule, at offset: Int) {
        let refusal = rejection(of: bytes)
        #expect(refusal?.reason == .malformed)
        #expect(refusal?.field == nil)
        #expect(refusal?.byteOffset == offset)
        #expect(refusal?.rule == rule.rawValue)
    }

    @Test(
        "The refusal names the byte and the rule",
        arguments: [
            ("{", .unexpectedEnd, 1), ("}", .unexpectedByte, 0), ("[]", .notAnObject, 0),
            (#"{"a":1}x"#, .trailingBytes, 7),
            (#"{"a":"\x"}"#, .invalidEscape, 6), (#"{"a":1,"\u0061":1}"#, .duplicateKey, 7),
        ] as [(String, JSONError.Rule, Int)])
    func offsets(_ text: String, _ rule: JSONError.Rule, _ offset: Int) {
        expect(Array(text.utf8), rule, at: offset)
    }

    @Test(
        "A second campaign-id is refused, escaped or not, even with the same value",
        arguments: ["campaign-id", #"campaign\u002did"#, #"\u0063ampaign-id"#])
    func duplicateField(_ key: String) {
        let body = PostbackBody.genuine.adding(key, "42")
        let offset = PostbackBody.genuine.bytes.count
        expect(body.bytes, .duplicateKey, at: offset)
    }

    @Test("16,384 bytes are read, and one more byte is too large, whatever it is")
    func size() throws {
        let genuine = PostbackBody.genuine.bytes
        let spaces = [UInt8](repeating: 0x20, count: 16_384 - genuine.count)
        #expect(rejection(of: genuine + spaces) == nil)
        #expect(rejection(of: spaces + genuine) == nil)
        #expect(rejection(of: genuine + spaces + [0x20])?.reason == .tooLarge)
        #expect(rejection(of: genuine + spaces + [0x20])?.detail == "body: must have at most 16384 bytes")
        #expect(rejection(of: [UInt8](repeating: 0xFF, count: 1 << 20))?.reason == .tooLarge)

        let key = PostbackBody.genuine.adding("x", "\"\"")
        let filled = key.setting("x", "\"" + String(repeating: "x", count: 16_384 - key.bytes.count) + "\"")
        #expect(filled.bytes.count == 16_384)
        #expect(try filled.parsed().body.count == 16_384)
    }
}
