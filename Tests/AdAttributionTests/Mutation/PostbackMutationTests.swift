import Encodings
import TestSupport
import Testing

@testable import AdAttribution

/// Whatever becomes of a signed postback, there is a verdict or a refusal with its reason, and what still verifies says
/// what was signed.
@Suite("Postback mutations")
struct PostbackMutationTests {
    private static let keys =
        PostbackVersions.apple.allNames + ImpressionField.allNames + [
            "alg", "kid", "crit", "",
        ]

    /// Checks the verdict on a body; true if it verifies.
    private func verifies(_ body: [UInt8], _ verifier: PostbackVerifier, _ signedMessage: [UInt8]?) -> Bool {
        do throws(PostbackRejection) {
            let verified = try verifier.verify(Postback(parsing: body))
            if let signedMessage, verified.postback.signedMessage.bytes != signedMessage {
                Issue.record("verifies with other values: \(String(decoding: body, as: UTF8.self))")
            }
            return true
        } catch {
            RefusalSentence.check(error, body)
            return false
        }
    }

    @Test("Damaged bytes of every version never trap", arguments: PostbackForm.all)
    func damagedBytes(_ form: PostbackForm) {
        var mutation = Mutation(seed: 31)
        var verified = 0
        for _ in 0..<300 {
            let body = mutation.damage(form.body.bytes)
            if verifies(body, form.verifier, form.body.expectedMessage) { verified += 1 }
        }
        #expect((0..<150).contains(verified))
    }

    @Test(
        "Changed members of every version never trap, and what verifies has the signed values",
        arguments: PostbackForm.all)
    func changedMembers(_ form: PostbackForm) {
        var mutation = Mutation(seed: 32)
        var verified = 0
        for _ in 0..<300 {
            let body = mutation.change(form.body, keys: Self.keys)
            if verifies(body.bytes, form.verifier, form.body.expectedMessage) { verified += 1 }
        }
        // Unsigned members come and go.
        #expect((1..<240).contains(verified))
    }

    @Test(
        "Bodies that are changed and signed again verify over the string that this test composes, or break a rule",
        arguments: PostbackForm.ours)
    func signedAnew(_ form: PostbackForm) throws {
        var mutation = Mutation(seed: 33)
        let key = try #require(PostbackForm.keys[form.curve])
        for _ in 0..<150 {
            let body = try mutation.change(form.body, keys: Self.keys).signed(with: key)
            _ = verifies(body.bytes, form.verifier, nil)
        }
    }

    @Test("A damaged body with a JWS never traps, and one that verifies has the signed text")
    func damagedJWS() throws {
        var mutation = Mutation(seed: 34)
        let verifier = try AdAttributionKitBody.verifier()
        let original = try AdAttributionKitBody().sealed()
        let signedMessage = Array(try original.jws().signedText.utf8)
        var verified = 0
        for _ in 0..<1_500 {
            let body = mutation.damage(try original.bytes())
            if verifies(body, verifier, signedMessage) { verified += 1 }
            var changed = original
            changed.envelope = mutation.change(original.envelope, keys: Self.keys)
            if verifies(try changed.bytes(), verifier, signedMessage) { verified += 1 }
        }
        #expect((1..<2_500).contains(verified))
    }

    @Test("A JWS with one changed character is refused, wherever it is")
    func singleCharacters() throws {
        var random = SeededGenerator(seed: 38)
        let verifier = try AdAttributionKitBody.verifier()
        let alphabet = Array("ABCXYZabcxyz0189-_.".utf8)
        let original = Array(try AdAttributionKitBody().jws().text.utf8)
        for index in original.indices {
            var text = original
            text[index] = try #require(alphabet.randomElement(using: &random))
            guard text != original else { continue }
            let body = AdAttributionKitBody.bytes(jws: String(decoding: text, as: UTF8.self))
            #expect(!verifies(body, verifier, nil))
        }
    }

    @Test("A damaged header or payload with the old signature never verifies")
    func damagedParts() throws {
        var mutation = Mutation(seed: 35)
        let verifier = try AdAttributionKitBody.verifier()
        let original = try AdAttributionKitBody().jws()
        let parts = original.text.split(separator: ".").map(String.init)
        for round in 0..<3_000 {
            let isHeader = round % 2 == 0
            let bytes = Array((isHeader ? original.header : original.payload).utf8)
            let part = TestJWS.base64URL(mutation.damage(bytes))
            let text = isHeader ? "\(part).\(parts[1]).\(parts[2])" : "\(parts[0]).\(part).\(parts[2])"
            guard text != original.text else { continue }
            #expect(!verifies(AdAttributionKitBody.bytes(jws: text), verifier, nil))
        }
    }

    @Test("A changed header or payload that is signed again verifies, or breaks a rule")
    func changedParts() throws {
        var mutation = Mutation(seed: 36)
        let verifier = try AdAttributionKitBody.verifier()
        var verified = 0
        for round in 0..<1_200 {
            var body = AdAttributionKitBody()
            if round % 3 == 0 { body.header = mutation.change(body.header, keys: Self.keys) }
            if round % 3 != 0 { body.payload = mutation.change(body.payload, keys: Self.keys) }
            let isGood = verifies(try body.bytes(), verifier, Array(try body.jws().signedText.utf8))
            verified += isGood ? 1 : 0
        }
        #expect((30..<900).contains(verified))
    }

    @Test("Impressions that are changed or damaged are read, or refused with a field")
    func impressions() throws {
        var mutation = Mutation(seed: 37)
        let key = try SigningKey.generate()
        for body in ImpressionBody.forms {
            let signed = try SignedImpression(signing: body.impression(), with: key)
            let whole = body.setting("signature", "\"\(Base64.encode(signed.signature))\"")
            for round in 0..<300 {
                let json = round % 2 == 0 ? mutation.damage(whole.bytes) : mutation.change(whole, keys: Self.keys).bytes
                do throws(ImpressionError) {
                    let read = try SignedImpression(json: json)
                    guard read.isValid(under: key.publicKey) else { continue }
                    if read.impression.signedMessage.bytes != body.expectedMessage {
                        Issue.record("verifies with other values: \(String(decoding: json, as: UTF8.self))")
                    }
                } catch {
                    if error.field.isEmpty && !error.rule.contains("is not a field") || error.rule.isEmpty {
                        Issue.record("\(error) of \(String(decoding: json, as: UTF8.self))")
                    }
                }
            }
        }
    }

    @Test("No text of a refusal contains a value of the body")
    func silence() throws {
        let secret = "SECRET"
        for form in PostbackForm.ours {
            for key in form.body.members.map(\.key) {
                let body = form.body.setting(key, "\"\(secret):\"")
                let refusal = form.verifier.rejection(ofBody: body.bytes)
                #expect(refusal?.description.contains(secret) != true)
            }
        }
        let body = AdAttributionKitBody()
        for key in body.payload.members.map(\.key) {
            var changed = body
            changed.payload = body.payload.setting(key, "\"\(secret) \"")
            #expect(rejection(of: try changed.bytes())?.description.contains(secret) == false)
        }
        for (header, payload) in [(secret, "{}"), ("{}", secret), (#"{"alg":"\#(secret)"}"#, "{}")] {
            let text = TestJWS(header: header, payload: payload).text
            let refusal = try #require(rejection(of: AdAttributionKitBody.bytes(jws: text)))
            #expect(!refusal.description.contains(secret))
        }
        let kid = AdAttributionKitBody { $0.header = $0.header.setting("kid", "\"\(secret)\"") }
        let refusal = try AdAttributionKitBody.verifier().rejection(ofBody: kid.bytes())
        #expect(refusal?.reason == .invalidSignature && refusal?.description.contains(secret) == false)
    }
}
