import Foundation
import TestSupport
import Testing

@testable import AdAttribution

/// For any bytes the parser returns a postback or a refusal that says where; it never traps.
@Suite("JSON mutations")
struct JSONMutationTests {
    /// A refusal says where: a byte inside the body or a field.
    private func expectSound(_ refusal: PostbackRejection, _ body: [UInt8]) {
        switch refusal.reason {
        case .malformed:
            if let offset = refusal.byteOffset {
                if !(0...body.count).contains(offset) { Issue.record("offset \(offset) of \(body.count)") }
            } else if refusal.field == nil {
                Issue.record("a refusal without field and offset")
            }
        case .unsupportedVersion: break
        default: Issue.record("\(refusal) while parsing")
        }
    }

    /// What our scanner accepts, Foundation accepts, with equal values of the fields.
    private func expectAgreement(_ postback: Postback, _ body: [UInt8]) throws {
        let json = try JSONSerialization.jsonObject(with: Data(body))
        let object = try #require(json as? [String: Any])
        let agree =
            object["version"] as? String ?? "1.0" == postback.version?.description
            && object["ad-network-id"] as? String == postback.adNetworkID.text
            && (object["campaign-id"] as? NSNumber)?.int64Value == Int64(postback.campaign.text)
            && (object["app-id"] as? NSNumber)?.int64Value == postback.advertisedAppID.value
            && object["transaction-id"] as? String == postback.transactionID.text
            && (postback.version == .v1_0
                || object["redownload"] as? Bool == postback.redownload
                    && (object["source-app-id"] as? NSNumber)?.int64Value == postback.source?.appID?.value)
            && (object["conversion-value"] as? NSNumber)?.int64Value
                == (postback.conversionValue.fine?.value).map(Int64.init)
            && (object["attribution-signature"] as? String).flatMap { Data(base64Encoded: $0) }
                == Data(postback.signature)
        if !agree { Issue.record("Foundation reads \(String(decoding: body, as: UTF8.self)) otherwise") }
    }

    @Test("Every prefix of a valid body ends too early, and the error is at its end")
    func prefixes() {
        let body = PostbackBody.genuine.bytes
        for length in 0..<body.count {
            let refusal = rejection(of: body.prefix(length))
            #expect(refusal?.byteOffset == length)
            #expect(refusal?.rule == "JSON ends too early")
        }
    }

    @Test("Every prefix and every suffix of a body with escapes, containers and all of UTF-8 is refused")
    func richPrefixes() {
        let rich = PostbackBody.genuine.adding(
            "é€😀", #"{"\ud83d\ude00":[1,-2.5e+7,{"\\\"\/\b\f\n\r\t":null},false,true]}"#)
        let body = rich.bytes
        #expect(rejection(of: body) == nil)
        for length in 0..<body.count {
            #expect(rejection(of: body.prefix(length))?.reason == .malformed)
            #expect(rejection(of: body.suffix(length))?.reason == .malformed)
        }
    }

    @Test("A genuine body with any one byte changed is refused, or verifies with the same signed values")
    func singleBytes() throws {
        let original = PostbackBody.genuine.bytes
        let verifier = PostbackVerifier(keyRing: try .of())
        let replacements: [UInt8] = [
            0x00, 0x1F, 0x20, 0x22, 0x2C, 0x2D, 0x2E, 0x30, 0x31, 0x39, 0x41, 0x5B, 0x5C, 0x65,
            0x75, 0x7B, 0x7D, 0x7F, 0x80, 0xC3, 0xE2, 0xED, 0xF0, 0xFF,
        ]
        var verified = 0
        for position in original.indices {
            var body = original
            for byte in replacements + [original[position] ^ 1, original[position] ^ 0x20]
            where byte != original[position] {
                body[position] = byte
                if let refusal = rejection(of: body) {
                    expectSound(refusal, body)
                    continue
                }
                let postback = try Postback(parsing: body)
                try expectAgreement(postback, body)
                guard verifier.rejection(of: postback) == nil else { continue }
                verified += 1
                if postback.signedMessage.bytes != PostbackBody.genuine.expectedMessage {
                    Issue.record("verifies with other values: \(String(decoding: body, as: UTF8.self))")
                }
            }
        }
        // The unsigned timestamp and conversion value, and the white space, may change.
        #expect(verified > 0)
    }

    @Test("A genuine body with any one byte dropped or doubled never traps")
    func droppedBytes() throws {
        let original = PostbackBody.genuine.bytes
        for position in original.indices {
            var dropped = original
            dropped.remove(at: position)
            if let refusal = rejection(of: dropped) { expectSound(refusal, dropped) }
            var doubled = original
            doubled.insert(original[position], at: position)
            if let refusal = rejection(of: doubled) { expectSound(refusal, doubled) }
        }
    }

    @Test(
        "Random damage never traps, and a body that is still accepted reads as Foundation reads it",
        arguments: [1, 2, 3, 4] as [UInt64])
    func fuzz(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let tokens = [
            "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u", "\\ud800", "\\u0000", "null", "true", "1", "-", "0", ".",
            "e",
            "9999999999999999999", "\"a\":", ",\"campaign-id\":1", "\"version\":\"2.0\"", " ", "\n", "\u{0}", "é", "😀",
        ].map { Array($0.utf8) }
        let original = PostbackBody.genuine.setting("country-code", #""\u0055S""#).bytes
        var accepted = 0
        for _ in 0..<12_000 {
            var body = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let start = Int.random(in: 0...body.count, using: &random)
                let end = min(body.count, start + Int.random(in: 0...4, using: &random))
                let random8 = random.bytes(Int.random(in: 0...3, using: &random))
                let token = tokens.randomElement(using: &random) ?? []
                body.replaceSubrange(start..<end, with: Bool.random(using: &random) ? token : random8)
            }
            if let refusal = rejection(of: body) {
                expectSound(refusal, body)
            } else {
                accepted += 1
                try expectAgreement(try Postback(parsing: body), body)
            }
        }
        #expect(accepted > 0)
    }

    @Test("Random bytes are never a postback", arguments: [5, 6] as [UInt64])
    func noise(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array(#"{}[]:,"\u0e-.truefalsn 1"#.utf8)
        for round in 0..<60_000 {
            let count = Int.random(in: 0...24, using: &random)
            let body =
                round % 2 == 0
                ? random.bytes(count) : (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            if let refusal = rejection(of: body) {
                expectSound(refusal, body)
            } else {
                Issue.record("\(body) is no postback")
            }
        }
    }
}
