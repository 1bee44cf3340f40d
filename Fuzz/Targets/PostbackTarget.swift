import AdAttribution
import Foundation

/// A body as it comes in from anybody, parsed and verified.
package struct PostbackTarget: FuzzTarget {
    package static let name = "postback"

    private let vectors: AppleVectors
    private let verifiers: BothVerifiers

    package init() throws {
        vectors = try AppleVectors()
        verifiers = try BothVerifiers()
    }

    package func check(_ input: [UInt8]) throws {
        let postback: Postback
        do throws(PostbackRejection) {
            postback = try Postback(parsing: input)
        } catch {
            return try Self.check(error, input)
        }
        try Self.checkFields(postback)
        try check(postback)
    }

    /// A refusal names a field or a byte, and a rule; it is short, whatever was sent.
    static func check(_ rejection: PostbackRejection, _ input: [UInt8]) throws {
        try expect(!rejection.rule.isEmpty, "a refusal without a rule")
        try expect(rejection.description.utf8.count <= 300, "a refusal of \(rejection.description.utf8.count) bytes")
        switch rejection.reason {
        case .malformed:
            if let offset = rejection.byteOffset {
                try expect((0...input.count).contains(offset), "a refusal at byte \(offset) of \(input.count)")
            } else {
                try expect(rejection.field?.isEmpty == false, "a refusal without field and byte")
            }
        case .tooLarge: try expect(input.count > Postback.maximumBodySize, "too large with \(input.count) bytes")
        case .unsupportedVersion: try expect(rejection.field == "version", "a refused version, and another field")
        case .unknownNetwork, .invalidSignature: throw Finding("the parser says \(rejection)")
        }
    }

    /// The fields are those that another parser reads, and the signed message is that of a second, plain table.
    static func checkFields(_ postback: Postback) throws {
        let body = try OtherParser(postback.body)
        if let version = postback.version {
            try expect((body.text("version") ?? "1.0") == version.description, "another version")
            try checkFields(postback, signed: body, unsigned: body)
            let names = signedNames[version.description] ?? []
            var message = body.message(names)
            if version.description == "4.0", body.text("source-domain") != nil {
                // Beside a domain, a source app id of 0 was filled in by a relay.
                message = body.message(names.filter { $0 != "source-app-id" })
            }
            try expect(postback.signedMessage.bytes == message, "another signed message")
            let signature = body.text("attribution-signature").flatMap { Data(base64Encoded: $0) }
            try expect(signature.map(Array.init) == postback.signature, "another signature")
        } else {
            let jws = Array((body.text("jws-string") ?? "").utf8)
            let parts = jws.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            try expect(parts.count == 3, "a JWS with \(parts.count) parts")
            let payload = try OtherParser(Self.base64URL(parts[1]))
            let header = try OtherParser(Self.base64URL(parts[0]))
            try expect(header.text("alg") == "ES256", "another algorithm")
            try expect(
                header.text("kid").map { Array($0.utf8) } == postback.keyID.map { Array($0.utf8) }, "another kid")
            try expect(postback.signedMessage.bytes == Array(jws[..<parts[1].endIndex]), "another signed message")
            try checkFields(postback, signed: payload, unsigned: body)
        }
        switch postback.conversionValue {
        case .fine(let fine):
            try expect(body.integer("conversion-value") == Int64(fine.value), "another conversion value")
            try expect(postback.didWin && postback.sequenceIndex == .first, "a fine value where none can be")
        case .coarse(let coarse):
            try expect(body.text("coarse-conversion-value")?.lowercased() == coarse.rawValue, "another coarse value")
            try expect(postback.didWin, "a value in an assist")
        case .none: break
        }
    }

    private static func checkFields(_ postback: Postback, signed: OtherParser, unsigned: OtherParser) throws {
        for (slot, field) in postback.layout.fields.enumerated() {
            guard let value = postback.value(of: field) else { continue }
            let object = slot < postback.layout.signedCount ? signed : unsigned
            // 1.0 does not sign the version.
            try expect(object.agrees(value, of: field.name), "another \(field.name)")
        }
    }

    /// Both verifiers say the same, alone and among genuine postbacks, and nothing verifies but what Apple has signed.
    func check(_ postback: Postback) throws {
        let verdicts = [verifiers.libcrypto, verifiers.fixed].map { Self.verdict($0.verify([postback])[0]) }
        try expect(verdicts[0] == verdicts[1], "libcrypto says \(verdicts[0]), the fast verifier \(verdicts[1])")
        let genuine = try vectors.bodies.map { try Postback(parsing: $0) }
        let batch = genuine.flatMap { [$0, postback] }
        for verifier in [verifiers.libcrypto, verifiers.fixed] {
            for (place, result) in verifier.verify(batch).enumerated() {
                let verdict = Self.verdict(result)
                if place % 2 == 1 {
                    try expect(verdict == verdicts[0], "alone \(verdicts[0]), in a batch \(verdict)")
                } else if case .failure(let error) = result {
                    throw Finding("a genuine postback is refused beside it: \(error)")
                }
            }
        }
        guard case .success(let verified) = verifiers.fixed.verify([postback])[0] else { return }
        let message = verified.postback.signedMessage.bytes
        try expect(vectors.messages.contains(message), "a postback that Apple never signed verifies")
        try expect(verified.postback.body == postback.body, "another body comes out of the verifier")
    }

    private static func verdict(_ result: Result<VerifiedPostback, PostbackRejection>) -> String {
        switch result {
        case .success(let verified): "valid, \(verified.signingKey), \(verified.environment)"
        case .failure(let error): "\(error), genuine \(error.genuineTransaction != nil)"
        }
    }

    static func base64URL(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let standard = String(decoding: text, as: UTF8.self).replacing("-", with: "+").replacing("_", with: "/")
        let padded = standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: padded).map(Array.init) ?? []
    }

    /// What each version signs, written down once more.
    private static let signedNames = [
        "1.0": ["ad-network-id", "campaign-id", "app-id", "transaction-id"],
        "2.0": version2, "2.1": version2, "2.2": version2 + ["fidelity-type"],
        "3.0": version2 + ["fidelity-type", "did-win"],
        "4.0": [
            "version", "ad-network-id", "source-identifier", "app-id", "transaction-id", "redownload", "source-app-id",
            "source-domain", "fidelity-type", "did-win", "postback-sequence-index",
        ],
    ]
    private static let version2 = [
        "version", "ad-network-id", "campaign-id", "app-id", "transaction-id", "redownload", "source-app-id",
    ]
}
