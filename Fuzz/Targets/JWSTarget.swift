import AdAttribution
import Encodings
import Foundation
import StrictJSON

/// A compact JWS, as a postback of AdAttributionKit and as an impression.
///
/// If the input has two line feeds, it is header, payload and signature before they are encoded. So the fuzzer reaches
/// what is inside without guessing base64.
package struct JWSTarget: FuzzTarget {
    package static let name = "jws"

    private let postbacks: PostbackTarget
    private let networkKey: VerificationKey

    package init() throws {
        postbacks = try PostbackTarget()
        networkKey = try SigningKey.generate().publicKey
    }

    package func check(_ input: [UInt8]) throws {
        let text = Self.text(input)
        let body = Array("{\"jws-string\":\(JSONText.quoted(text)),\"conversion-value\":5}".utf8)
        try postbacks.check(body)
        try checkImpression(text)
    }

    private func checkImpression(_ text: String) throws {
        let signed: AnySignedImpression
        do throws(ImpressionError) {
            signed = try AnySignedImpression(parsing: Array(text.utf8))
        } catch {
            try expect(!error.field.isEmpty && !error.rule.isEmpty, "a refusal without field or rule")
            return try expect(error.description.utf8.count <= 500, "a refusal of \(error.description.utf8.count) bytes")
        }
        // The key is made anew in each run, so nothing can be signed with it.
        try expect(!signed.isValid(under: networkKey), "an impression verifies under a key that never signed")
    }

    private static func text(_ input: [UInt8]) -> String {
        let parts = input.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return String(decoding: input, as: UTF8.self) }
        return parts.map { Base64.encode(Array($0), .urlSafe) }.joined(separator: ".")
    }
}
