import AdAttribution
import Foundation
import TestSupport
import Testing

/// A token as the other side reads it, by Foundation and by code of the tests alone.
struct ReadToken {
    let header: [String: String]
    let claims: [String: Any]

    /// Reads the header `Authorization`, and checks the signature.
    init(authorization: String, key: VerificationKey) throws {
        try #require(authorization.hasPrefix("Bearer "))
        let parts = authorization.dropFirst("Bearer ".count).split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        func object(_ part: Substring) throws -> Any {
            try JSONSerialization.jsonObject(with: Data(try TestJWS.bytes(base64URL: part)))
        }
        header = try #require(try object(parts[0]) as? [String: String])
        claims = try #require(try object(parts[1]) as? [String: Any])
        let signature = try TestJWS.bytes(base64URL: parts[2])
        try #require(signature.count == 64)
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        try #require(key.isValid(signature: Self.der(signature), for: signed), "the signature of the token")
    }

    /// R and S as ASN.1, put together by hand.
    private static func der(_ signature: [UInt8]) -> [UInt8] {
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var number = Array(bytes.drop { $0 == 0 })
            if number.first.map({ $0 >= 0x80 }) ?? true { number.insert(0, at: 0) }
            return [2, UInt8(number.count)] + number
        }
        let both = integer(signature[..<32]) + integer(signature[32...])
        return [0x30, UInt8(both.count)] + both
    }
}
