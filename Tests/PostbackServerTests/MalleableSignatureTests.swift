import Foundation
import TestSupport
import Testing

extension ServerTests {
    /// If (r, s) is a signature, (r, n − s) is one too, and anybody can compute it.
    @Suite("A signature in its second form")
    struct MalleableSignatureTests {
        /// The order n of P-192.
        private static let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x99, 0xDE, 0xF8, 0x36, 0x14, 0x6B,
            0xC9, 0xB1, 0xB4, 0xD2, 0x28, 0x31,
        ]

        /// The signature (r, n − s) in DER.
        private func second(_ der: [UInt8]) throws -> [UInt8] {
            // 30 length 02 length r 02 length s
            let rLength = Int(try #require(der.dropFirst(3).first))
            let r = der[4..<4 + rLength]
            let s = der[(6 + rLength)...]
            try #require(der[4 + rLength] == 0x02)
            try #require(Int(der[5 + rLength]) == s.count)
            let padded = Array(repeating: 0, count: max(0, 24 - s.count)) + s.suffix(24)
            var difference = [UInt8](repeating: 0, count: 24)
            var borrow = 0
            for index in (0..<24).reversed() {
                let value = Int(Self.order[index]) - Int(padded[index]) - borrow
                difference[index] = UInt8(truncatingIfNeeded: value)
                borrow = value < 0 ? 1 : 0
            }
            var number = Array(difference.drop { $0 == 0 })
            if let high = number.first, high >= 0x80 { number.insert(0, at: 0) }
            let content = [0x02, UInt8(r.count)] + r + [0x02, UInt8(number.count)] + number
            return [0x30, UInt8(content.count)] + content
        }

        @Test("The second form of a signature verifies, and its postback is a duplicate", .server)
        func duplicate() async throws {
            let body = try TestKeys.apple()
            let object = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
            let first = try #require(object["attribution-signature"] as? String)
            let der = Array(try #require(Data(base64Encoded: first)))
            let other = try second(der)
            let firstAgain = try second(other)
            #expect(firstAgain == der)
            let changed = String(decoding: body, as: UTF8.self)
                .replacing(first, with: Data(other).base64EncodedString())
            let (installation, _, client) = try RunningServer.current
            let answers = [try await client.post(body), try await client.post(Array(changed.utf8))]
            #expect(answers.map(\.outcome) == ["accepted", "duplicate"])
            let database = installation.database
            #expect(try await database.column("SELECT count(*)::text FROM attribution.postback") == ["1"])
            #expect(try await database.recounts() == [])
        }
    }
}
