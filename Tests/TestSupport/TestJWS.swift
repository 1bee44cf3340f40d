package import AdAttribution
import Foundation
import Testing

/// A compact JWS put together by hand, with an encoder of its own, so that any of its parts may be wrong.
package struct TestJWS: Sendable {
    /// The header, as JSON.
    package var header: String
    /// The payload, as JSON.
    package var payload: String
    /// The signature as base64url.
    package var signature: String

    /// The two signed parts as they stand in the text.
    package var signedText: String { Self.base64URL(header.utf8) + "." + Self.base64URL(payload.utf8) }

    /// The three parts with dots between them.
    package var text: String { signedText + "." + signature }

    /// Three parts, the third of which signs nothing.
    package init(
        header: String, payload: String, signature: String = TestJWS.base64URL([UInt8](repeating: 1, count: 64))
    ) {
        self.header = header
        self.payload = payload
        self.signature = signature
    }

    /// Signed over its text as it is.
    package func signed(with key: SigningKey) throws -> TestJWS {
        var copy = self
        copy.signature = Self.base64URL(try Self.concatenated(key.signature(of: Array(signedText.utf8))))
        return copy
    }

    /// Unpadded base64url.
    package static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The bytes of unpadded base64url.
    package static func bytes(base64URL text: some StringProtocol) throws -> [UInt8] {
        let standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Array(try #require(Data(base64Encoded: standard + padding)))
    }

    /// R and S side by side out of DER, taken apart here a second time, on purpose.
    package static func concatenated(_ der: [UInt8]) throws -> [UInt8] {
        var rest = der.dropFirst(2)
        var output: [UInt8] = []
        for _ in 0..<2 {
            let length = Int(try #require(rest.dropFirst().first))
            let number = rest.dropFirst(2).prefix(length).drop { $0 == 0 }
            try #require(number.count <= 32)
            output += [UInt8](repeating: 0, count: 32 - number.count) + number
            rest = rest.dropFirst(2 + length)
        }
        return output
    }
}
