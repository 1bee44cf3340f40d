import PostbackSimulation
import TestSupport
import Testing

@testable import AdAttribution

@Suite("A made-up version with one more signed field")
struct MadeUpVersionTests {
    private let keys: TestKeys
    private let bodies: [[UInt8]]

    init() throws {
        keys = try TestKeys()
        bodies = try keys.simulate(seed: 7, count: 40) {
            $0.versions = .withMadeUp
            $0.kinds = [.skAdNetwork(.madeUp)]
        }
    }

    private func parsed(_ body: [UInt8]) throws -> Postback {
        try Postback(parsing: body, versions: .withMadeUp)
    }

    private func changed(_ body: [UInt8], _ old: String, to new: String) throws -> [UInt8] {
        let text = String(decoding: body, as: UTF8.self)
        try #require(text.contains(old))
        return Array(text.replacing(old, with: new).utf8)
    }

    private func refusal(_ body: () throws -> Void) -> PostbackRejection? {
        #expect(throws: PostbackRejection.self) { try body() }
    }

    @Test("Its postbacks are simulated, read and verified, with every value of the field")
    func verified() throws {
        var seen: Set<Int64> = []
        for body in bodies {
            let verified = try keys.verifier.verify(parsed(body))
            #expect(verified.postback.version == .madeUp)
            #expect(!verified.postback.isRelayNormalised)
            seen.insert(try #require(verified.postback.value(of: .adPlacement)?.integer))
        }
        #expect(seen == [0, 1, 2, 3])
    }

    @Test("Many of its postbacks are verified at once")
    func batch() throws {
        let results = keys.verifier.verify(try bodies.map(parsed))
        #expect(results.count == bodies.count)
        for result in results { #expect(try result.get().postback.version == .madeUp) }
    }

    @Test("A postback whose new field is changed is refused, and the checked bytes show the change")
    func tampered() throws {
        for body in bodies {
            let value = try #require(try parsed(body).value(of: .adPlacement)?.integer)
            let other = try changed(body, "\"ad-placement\":\(value)", to: "\"ad-placement\":\((value + 1) % 4)")
            let refusal = refusal { _ = try keys.verifier.verify(parsed(other)) }
            #expect(refusal?.reason == .invalidSignature)
            #expect(refusal?.checkedMessage?.last == UInt8(ascii: "0") + UInt8((value + 1) % 4))
        }
    }

    @Test("A new field that is missing, of another type or out of range is refused with its name and rule")
    func malformed() throws {
        let body = try #require(bodies.first)
        let member = "\"ad-placement\":\(try #require(try parsed(body).value(of: .adPlacement)?.integer))"
        let cases = [
            ("\"other\":1", "is missing"), ("\"ad-placement\":4", "must be an integer from 0 to 3"),
            ("\"ad-placement\":-1", "must be an integer from 0 to 3"),
            ("\"ad-placement\":\"1\"", "must be an integer from 0 to 3"),
            ("\"ad-placement\":true", "must be an integer from 0 to 3"),
            ("\"ad-placement\":null", "must be an integer from 0 to 3"),
        ]
        for (replacement, rule) in cases {
            let refusal = refusal { _ = try parsed(changed(body, member, to: replacement)) }
            #expect(refusal?.reason == .malformed)
            #expect(refusal?.field == "ad-placement")
            #expect(refusal?.rule == rule)
        }
    }

    @Test("The explanation of a postback names the new field last, and its message ends with the value")
    func explained() throws {
        let postback = try parsed(#require(bodies.first))
        let value = try #require(postback.value(of: .adPlacement)?.integer)
        let explanation = SignatureExplanation(postback)
        #expect(explanation.title.hasPrefix("SKAdNetwork 9.9 postback, ECDSA on P-256"))
        #expect(explanation.fields.last?.name == "ad-placement")
        #expect(explanation.fields.last?.value == "\(value)")
        #expect(explanation.message.suffix(4) == SignedMessage.separator + Array("\(value)".utf8))
    }

    @Test("Apple's versions do not have the field: there it counts as absent, and a relay has added it")
    func relayNoise() throws {
        let four = try keys.simulate(seed: 8, count: 1) { $0.kinds = [.skAdNetwork(.v4_0)] }
        let noisy = try changed(try #require(four.first), "{", to: "{\"ad-placement\":\"anything\",")
        let verified = try keys.verifier.verify(parsed(noisy))
        #expect(verified.postback.version == .v4_0)
        #expect(verified.postback.value(of: .adPlacement) == nil)
        #expect(verified.postback.isRelayNormalised)
    }

    @Test("Simulated relays add the field to postbacks of Apple's versions, which verify all the same")
    func simulatedNoise() throws {
        let bodies = try keys.simulate(seed: 9, count: 60) {
            $0.versions = .withMadeUp
            $0.kinds = [.skAdNetwork(.v4_0)]
            $0.relayNoiseRate = 1
        }
        let noisy = bodies.filter { String(decoding: $0, as: UTF8.self).contains("ad-placement") }
        #expect(!noisy.isEmpty)
        for body in bodies {
            let verified = try keys.verifier.verify(parsed(body))
            #expect(verified.postback.value(of: .adPlacement) == nil)
        }
        for body in noisy { #expect(try parsed(body).isRelayNormalised) }
    }

    @Test("Apple's table refuses the version")
    func unknownToApple() throws {
        let body = try #require(bodies.first)
        #expect(refusal { _ = try Postback(parsing: body) }?.reason == .unsupportedVersion)
    }
}
