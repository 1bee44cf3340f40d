import Foundation
import Testing

@Suite("Verifying postbacks", .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct VerifyPostbackTests {
    /// Apple's documentation example of a 2.0 postback.
    ///
    /// Source: Apple, "Verifying an install-validation postback".
    static let apple =
        #"{"version":"2.0","ad-network-id":"com.example","campaign-id":42,"#
        + #""transaction-id":"6aafb7a5-0170-41b5-bbe4-fe71dedf1e28","app-id":525463029,"#
        + #""attribution-signature":"MDYCGQD0AdGn5gUnSuVGk8Wi0IgxzWiKdBzwJrQCGQCJfkrI5bda93EC4Xm1H+MtNxstFmnVBn0=","#
        + #""redownload":true,"source-app-id":1234567891,"conversion-value":20}"#

    static let valid =
        #"{"line":1,"verdict":"valid","environment":"production","key":"apple-skadnetwork-p192","detail":null}"#

    @Test("Apple's example is valid, in one line and over several, and from a file")
    func apple() async throws {
        let line = try await Tool.adsign("verify-postback", input: Self.apple)
        #expect(line.code == 0)
        #expect(line.output == Self.valid + "\n")
        let pretty = Self.apple.replacingOccurrences(of: ",", with: ",\n  ")
        #expect(try await Tool.adsign("verify-postback", "-", input: pretty).output == Self.valid + "\n")
        let folder = try Scratch()
        try folder.write("postback.json", pretty + "\n")
        #expect(try await Tool.adsign("verify-postback", folder["postback.json"]).output == Self.valid + "\n")
        #expect(try await Tool.adsign("verify-postback", folder["none.json"]).code == 66)
    }

    @Test("A signed field that is changed, removed or added makes the postback invalid")
    func mutations() async throws {
        let mutations: [(String, String)] = [
            ("com.example", "com.example2"), (":42", ":43"), ("1e28", "1e29"), ("525463029", "525463028"),
            ("true", "false"), ("1234567891", "1234567890"), (#""source-app-id":1234567891,"#, ""),
        ]
        let input = mutations.map { Self.apple.replacingOccurrences(of: $0.0, with: $0.1) }.joined(separator: "\n")
        let result = try await Tool.adsign("verify-postback", input: input)
        #expect(result.code == 1)
        #expect(result.lines.count == mutations.count)
        for line in result.lines {
            let verdict = try object(line)
            #expect(verdict["verdict"] as? String == "invalid_signature")
            #expect(verdict["environment"] is NSNull && verdict["key"] is NSNull)
        }
        let unsigned = Self.apple.replacingOccurrences(of: ":20}", with: ":63,\"country-code\":\"SE\"}")
        #expect(try await Tool.adsign("verify-postback", input: unsigned).code == 0)
    }

    @Test("Each line has a verdict with its reason, blank lines are counted, and malformed decides the exit code")
    func verdicts() async throws {
        let input = [
            Self.apple.replacingOccurrences(of: "2.0", with: "9.9"), "",
            Self.apple.replacingOccurrences(of: ":42", with: ":101"), #"{"version":"2.0","#,
            #"{"a":""# + String(repeating: "x", count: 400_000) + "\"}", Self.apple + "\r", "",
        ].joined(separator: "\n")
        let result = try await Tool.adsign("verify-postback", input: input)
        #expect(result.code == 65)
        let lines = try result.lines.map { try object($0) }
        #expect(lines.map { $0["line"] as? Int } == [1, 3, 4, 5, 6])
        #expect(
            lines.map { $0["verdict"] as? String }
                == ["unsupported_version", "malformed", "malformed", "too_large", "valid"])
        #expect((lines[1]["detail"] as? String)?.contains("campaign-id") == true)
        let version = Self.apple.replacingOccurrences(of: "2.0", with: "9.9")
        #expect(try await Tool.adsign("verify-postback", input: version).code == 1)
    }

    @Test("An array has a verdict for each element, and one for a broken rest")
    func arrays() async throws {
        let whole = try await Tool.adsign("verify-postback", input: "[\n\(Self.apple),\n\n{\"a\":[1]}\n]\n")
        #expect(whole.code == 65)
        #expect(try whole.lines.map { try object($0)["line"] as? Int } == [2, 4])
        let broken = try await Tool.adsign("verify-postback", input: "[\(Self.apple),\n{\"a\":")
        #expect(broken.code == 65)
        #expect(try broken.lines.map { try object($0)["verdict"] as? String } == ["valid", "malformed"])
    }
}
