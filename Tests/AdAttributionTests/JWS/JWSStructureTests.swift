import TestSupport
import Testing

@testable import AdAttribution

/// A compact JWS has one form; whatever departs from it is malformed, with the part or member that does.
@Suite("JWS structure")
struct JWSStructureTests {
    private static let parts = "must be three parts of unpadded base64url with dots between them"
    private static let size = "must have a signature of 64 bytes, R and S"
    private static let good = (try? AdAttributionKitBody().jws()) ?? TestJWS(header: "", payload: "")

    private func expectMalformed(
        _ text: String, _ rule: String, field: String = "jws-string", _ location: SourceLocation = #_sourceLocation
    ) {
        let refusal = rejection(of: AdAttributionKitBody.bytes(jws: text))
        #expect(refusal?.reason == .malformed, "\(text)", sourceLocation: location)
        #expect(refusal?.field == field, "\(text)", sourceLocation: location)
        #expect(refusal?.rule == rule, "\(text)", sourceLocation: location)
        #expect(refusal?.claims?.attributionProtocol == .adAttributionKit, sourceLocation: location)
    }

    /// A JWS with this header over a good payload.
    private func header(_ header: String) -> String {
        TestJWS(header: header, payload: Self.good.payload).text
    }

    @Test("A valid JWS is read")
    func good() throws {
        #expect(rejection(of: AdAttributionKitBody.bytes(jws: Self.good.text)) == nil)
        let jws = try CompactJWS(Array(Self.good.text.utf8))
        #expect(jws.keyID == AdAttributionKitBody.keyID)
        #expect(jws.header == Array(Self.good.header.utf8))
        #expect(jws.payload == Array(Self.good.payload.utf8))
        #expect(jws.signedMessage.bytes == Array(Self.good.signedText.utf8))
    }

    @Test("A JWS has three parts, and none of them is empty")
    func parts() {
        let (text, signed, signature) = (Self.good.text, Self.good.signedText, Self.good.signature)
        for changed in [
            "", ".", "..", "...", "a", signed, signed + ".", text + ".", "." + text, text + "." + signature,
            signed + ".." + signature, "." + signed.split(separator: ".")[1] + "." + signature,
            signed.split(separator: ".")[0] + ".." + signature, text.replacing(".", with: ","),
            text.replacing(".", with: " . "),
        ] {
            expectMalformed(changed, Self.parts)
        }
    }

    @Test("Each part is base64url without padding, in its only valid spelling")
    func alphabet() {
        let text = Self.good.text
        let parts = text.split(separator: ".").map(String.init)
        for index in 0..<3 {
            for damage in ["=", "==", "+", "/", " ", #"\n"#, #"\u0000"#, "é", "%3D", "*"] {
                var changed = parts
                changed[index] += damage
                expectMalformed(changed.joined(separator: "."), Self.parts)
                changed[index] = damage + parts[index]
                expectMalformed(changed.joined(separator: "."), Self.parts)
            }
        }
        // 64 bytes leave four bits of the last character over, which must be 0.
        let last = parts[2].last.map(String.init) ?? ""
        #expect("AQgw".contains(last))
        for other in ["B", "R", "h", "x", "_"] {
            expectMalformed(String(text.dropLast()) + other, Self.parts)
        }
        expectMalformed(text + "A", Self.size)
        expectMalformed(text + "AAA", Self.parts)
    }

    @Test("The signature is R and S in 64 bytes, not DER", arguments: [1, 32, 63, 65, 70, 72, 96, 128])
    func signatureSize(_ count: Int) {
        var jws = Self.good
        jws.signature = TestJWS.base64URL([UInt8](repeating: 0x30, count: count))
        expectMalformed(jws.text, Self.size)
    }

    @Test(
        "64 bytes that can't be a signature are refused like a signature that does not verify",
        arguments: [0x00, 0x01, 0x7F, 0xFF])
    func anySignature(_ byte: UInt8) throws {
        var jws = Self.good
        jws.signature = TestJWS.base64URL([UInt8](repeating: byte, count: 64))
        let refusal = try AdAttributionKitBody.verifier()
            .rejection(ofBody: AdAttributionKitBody.bytes(jws: jws.text))
        #expect(refusal?.reason == .invalidSignature)
        #expect(refusal?.checkedMessage == Array(jws.signedText.utf8))
    }

    @Test(
        "The algorithm must be ES256, in this letter case",
        arguments: [
            #""none""#, #""None""#, #""HS256""#, #""RS256""#, #""ES384""#, #""ES512""#, #""ES256K""#, #""es256""#,
            #""Es256""#, #""ES256 ""#, #""""#, "null", "256", "true", #"["ES256"]"#, #"{"ES256":1}"#,
        ])
    func algorithm(_ json: String) {
        expectMalformed(header(#"{"kid":"k","alg":\#(json)}"#), "must be ES256", field: "alg")
    }

    @Test("A header without alg is refused, and a similar name does not count")
    func noAlgorithm() {
        for text in [#"{"kid":"k"}"#, "{}", #"{"kid":"k","Alg":"ES256"}"#, #"{"kid":"k","alg ":"ES256"}"#] {
            expectMalformed(header(text), "must be ES256", field: "alg")
        }
    }

    @Test("Critical extensions are refused", arguments: ["[]", #"["b64"]"#, "null", #""""#, "1"])
    func critical(_ json: String) {
        expectMalformed(header(#"{"kid":"k","alg":"ES256","crit":\#(json)}"#), "must not be there", field: "crit")
        expectMalformed(header(#"{"\u0063rit":\#(json),"kid":"k","alg":"ES256"}"#), "must not be there", field: "crit")
    }

    @Test("The key's name is a string of 1 to 64 bytes")
    func keyID() throws {
        let rule = "must be a string of 1 to 64 bytes"
        let long = String(repeating: "k", count: 65)
        for json in [
            "1", "null", "true", "[]", #"["k"]"#, #""""#, "\"\(long)\"", "\"\(String(repeating: "é", count: 33))\"",
        ] {
            expectMalformed(header(#"{"kid":\#(json),"alg":"ES256"}"#), rule, field: "kid")
        }
        expectMalformed(header(#"{"alg":"ES256"}"#), rule, field: "kid")
        for name in [String(repeating: "k", count: 64), "k", String(repeating: "é", count: 32), "a b"] {
            let text = header(#"{"kid":"\#(name)","alg":"ES256"}"#)
            let refusal = try AdAttributionKitBody.verifier().rejection(ofBody: AdAttributionKitBody.bytes(jws: text))
            #expect(refusal?.reason == .invalidSignature)
        }
    }

    @Test("Other members of the header are ignored")
    func extraMembers() throws {
        let verifier = try AdAttributionKitBody.verifier()
        for (key, json) in [
            ("typ", #""JWT""#), ("cty", "1"), ("jwk", #"{"kty":"EC"}"#), ("x5c", #"["MII"]"#), ("jku", #""https://x""#),
            ("b64", "false"), ("", "null"),
        ] {
            let body = AdAttributionKitBody { $0.header = $0.header.setting(key, json) }
            #expect(try verifier.verify(body.parsed()).signingKey == AdAttributionKitBody.keyID)
        }
    }

    @Test(
        "Header and payload are JSON objects, and a refusal names the part and the byte",
        arguments: [
            ("[]", 0, "must be a JSON object"), ("1", 0, "must be a JSON object"),
            (" null", 1, "must be a JSON object"),
            ("{", 1, "JSON ends too early"), ("x", 0, "not valid JSON"), ("{}x", 2, "bytes after the JSON value"),
            (#"{"kid":"a","kid":"a"}"#, 11, "a key of this object stands twice"),
            (#"{"alg":"ES256","\u0061lg":"ES256"}"#, 15, "a key of this object stands twice"),
            (#"{"did-win":true,"did\u002dwin":true}"#, 16, "a key of this object stands twice"),
            (#"{"x":{"a":1,"a":1}}"#, 12, "a key of this object stands twice"),
            (#"{"x":[[[[[[[[1]]]]]]]]}"#, 12, "nested too deeply"),
            (#"{"x":"\ud800"}"#, 6, "not a valid escape sequence"),
            ("{\"x\":\"\n\"}", 6, "not valid JSON"),
        ])
    func json(_ text: String, _ offset: Int, _ rule: String) {
        expectMalformed(header(text), "header, byte \(offset): \(rule)")
        let payload = TestJWS(header: Self.good.header, payload: text)
        expectMalformed(payload.text, "payload, byte \(offset): \(rule)")
    }

    @Test("Bytes that are not UTF-8 are refused in header and payload")
    func encoding() {
        let bytes = TestJWS.base64URL([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D])
        let parts = Self.good.text.split(separator: ".")
        expectMalformed("\(bytes).\(parts[1]).\(parts[2])", "header, byte 2: not valid UTF-8")
        expectMalformed("\(parts[0]).\(bytes).\(parts[2])", "payload, byte 2: not valid UTF-8")
    }

    @Test("jws-string must be a string", arguments: ["null", "1", "true", "[]", #"{"a":"b"}"#])
    func type(_ json: String) {
        let refusal = rejection(of: #"{"jws-string":\#(json)}"#)
        #expect(refusal?.detail == "jws-string: must be a string")
    }

    @Test("Escapes in the body's string stand for their characters")
    func escapes() throws {
        let text = Self.good.text.replacing(".", with: #"\u002e"#)
        let verified = try AdAttributionKitBody.verifier()
            .verify(Postback(parsing: AdAttributionKitBody.bytes(jws: text)))
        #expect(verified.postback.signedMessage.bytes == Array(Self.good.signedText.utf8))
    }

    @Test(
        "A JWS as large as the limit of a body is refused, whatever its bytes are",
        arguments: [".", "A", "A.", "AAAA.", "=", "_"])
    func huge(_ filler: String) {
        let text = String(repeating: filler, count: 16_000 / filler.utf8.count)
        #expect(rejection(of: AdAttributionKitBody.bytes(jws: text))?.reason == .malformed)
        let padded = #"{"kid":"k","alg":"ES256","x":"\#(String(repeating: "x", count: 10_000))"}"#
        #expect(rejection(of: AdAttributionKitBody.bytes(jws: header(padded))) == nil)
        let refusal = rejection(of: AdAttributionKitBody.bytes(jws: String(repeating: filler, count: 16_385)))
        #expect(refusal?.reason == .tooLarge)
    }
}
