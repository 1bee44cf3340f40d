import Testing

@testable import AdAttribution

/// A signed impression is told by its form, whichever framework it is for.
@Suite("Signed impressions of either framework")
struct AnySignedImpressionTests {
    private let key: SigningKey
    private let skAdNetwork: SignedImpression
    private let adAttributionKit: SignedAdAttributionKitImpression

    init() throws {
        key = try SigningKey.generate()
        skAdNetwork = try SignedImpression(signing: ImpressionBody.version4.impression(), with: key)
        let parameters = ImpressionBody.version4.removing("version").removing("fidelity-type")
        let impression = try AdAttributionKitImpression(ImpressionParameters(json: parameters.bytes))
        adAttributionKit = try SignedAdAttributionKitImpression(signing: impression, with: key)
    }

    private func read(_ text: some Sequence<UInt8>) throws -> AnySignedImpression {
        try AnySignedImpression(parsing: Array(text))
    }

    @Test(
        "JSON is an impression of SKAdNetwork, with any white space around it", arguments: ["", " ", "\n", "\r\n\t "])
    func json(_ space: String) throws {
        let read = try read((space + skAdNetwork.json + space).utf8)
        guard case .skAdNetwork(let signed) = read else {
            Issue.record("another framework")
            return
        }
        #expect(signed.impression == skAdNetwork.impression)
        #expect(read.isValid(under: key.publicKey))
        #expect(try !read.isValid(under: SigningKey.generate().publicKey))
        #expect(read.explanation.message == ImpressionBody.version4.expectedMessage)
    }

    @Test(
        "A compact JWS is an impression of AdAttributionKit, by itself or in JSON",
        arguments: ["", " ", "\n", "\r\n\t "])
    func jws(_ space: String) throws {
        for text in [adAttributionKit.compactJWS, String(decoding: adAttributionKit.jsonBytes, as: UTF8.self)] {
            let read = try read((space + text + space).utf8)
            guard case .adAttributionKit(let signed) = read else {
                Issue.record("another framework")
                return
            }
            #expect(signed.impression == adAttributionKit.impression)
            #expect(read.isValid(under: key.publicKey))
            #expect(try !read.isValid(under: SigningKey.generate().publicKey))
            let signedText = signed.compactJWS.split(separator: ".").prefix(2).joined(separator: ".")
            #expect(read.explanation.message == Array(signedText.utf8))
        }
    }

    @Test(
        "Anything else is refused, with the field or the byte",
        arguments: [
            ("", "json"), (" \n", "json"), (".", "jws-string"), ("a.b.c", "jws-string"), ("abc", "json"),
            ("[]", "json"),
            ("a. b", "json"), (#"{"jws-string":1}"#, "jws-string"), (#"{"jws-string":"x"}"#, "jws-string"),
            ("{}", "ad-network-id"), (#"{"jws-string":"a.b.c","version":"4.0"}"#, "jws-string"),
        ])
    func refused(_ text: String, _ field: String) {
        let error = #expect(throws: ImpressionError.self) { try read(text.utf8) }
        #expect(error?.field == field)
    }

    @Test("Damaged impressions never trap, and never verify over another text")
    func damaged() throws {
        var mutation = Mutation(seed: 39)
        for (original, message) in [
            (Array(skAdNetwork.json.utf8), skAdNetwork.impression.signedMessage.bytes),
            (Array(adAttributionKit.compactJWS.utf8), adAttributionKit.jws.signedMessage.bytes),
            (adAttributionKit.jsonBytes, adAttributionKit.jws.signedMessage.bytes),
        ] {
            for _ in 0..<1_000 {
                let text = mutation.damage(original)
                guard let read = try? read(text), read.isValid(under: key.publicKey) else { continue }
                if read.explanation.message != message {
                    Issue.record("verifies with other values: \(String(decoding: text, as: UTF8.self))")
                }
            }
        }
    }
}
