import Foundation
import Testing

/// Apple's sample impression signatures, brought into the JSON form.
///
/// Source: Apple, sample code "Testing and validating ad impression signatures and postbacks for SKAdNetwork".
@Suite("Verifying impressions", .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct VerifyTests {
    private static let publicKey =
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDizl6HEGK3065O0xQrCl6pQehGCBoZStStmY+21UQgF3LmuERbaMDis1vJsEGpS/"
        + "CCZtDzhvmoEvIilmtmvL9w=="

    static let viewThrough =
        #"{"version":"4.0","ad-network-id":"com.apple.test-1","source-identifier":3120,"itunes-item-id":525463029,"#
        + #""nonce":"b7c9da2b-15c7-4f3b-9326-135f9630033d","source-app-id":0,"fidelity-type":0,"#
        + #""timestamp":1676057605705,"signature":"MEQCIAtBBiadCFlMOEOh3K43xyKaU1/sj/CtgDOB+Wm7J+29AiBDfreX67mm4X9Z"#
        + #"oM4xkHHLtuMM2OXcS5kQ7UpVb69A/Q=="}"#

    static let storeKitRendered =
        #"{"version":"4.0","ad-network-id":"com.apple.test-1","source-identifier":1540,"itunes-item-id":525463029,"#
        + #""nonce":"431a2487-3302-4ee7-9eb5-4243d4607672","source-app-id":0,"fidelity-type":1,"#
        + #""timestamp":1678912480034,"signature":"MEUCIQDKIV284QzOEBuYQYsyS0fJ2Im+vaBuTtOpncj1ieP5HAIgaAYbOi31mkYp"#
        + #"6EUUj06AZodVmHdZhF7UrGe20tEaUMo="}"#

    /// Apple's response to a web ad signs fidelity type 1 and does not carry it.
    static let web =
        #"{"version":"4.0","ad-network-id":"com.apple.test-1","source-identifier":3120,"itunes-item-id":525463029,"#
        + #""nonce":"b7c9da2b-15c7-4f3b-9326-135f9630033d","source-domain":"example.com","#
        + #""timestamp":1676057605705,"signature":"MEUCID/KZzaGxpa9jv9P1thWn8cHzcDq8ebDWEoarV1JrjNcAiEA6d9IqYErxFCr"#
        + #"D96oR0rRftjVW6PRx37MC9QPS88OeE4="}"#

    let folder: Scratch

    init() throws {
        folder = try Scratch()
        try folder.write("apple.pub", Self.publicKey)
    }

    private func verify(_ input: String) async throws -> Tool.Result {
        try await Tool.adsign("verify", "--public-key", folder["apple.pub"], input: input)
    }

    @Test("Apple's samples verify", arguments: [viewThrough, storeKitRendered, web])
    func samples(impression: String) async throws {
        let result = try await verify(impression)
        #expect(result.code == 0)
        #expect(result.output == "{\"line\":1,\"verdict\":\"valid\"}\n")
    }

    @Test("A nonce in upper case is changed to lower case before it is verified")
    func upperCaseNonce() async throws {
        let upper = Self.viewThrough.replacingOccurrences(
            of: "b7c9da2b-15c7-4f3b-9326-135f9630033d", with: "B7C9DA2B-15C7-4F3B-9326-135F9630033D")
        #expect(try await verify(upper).code == 0)
    }

    @Test("The code is 1 for a wrong signature, 65 for a line that is not an impression, and 65 if there are both")
    func exitCodes() async throws {
        let changed = Self.storeKitRendered.replacingOccurrences(of: "1540", with: "1541")
        let failed = try await verify(Self.web + "\n" + changed + "\n")
        #expect(failed.code == 1)
        #expect(try object(failed.lines[1])["verdict"] as? String == "invalid_signature")
        #expect(try object(failed.lines[1])["detail"] is String)
        let malformed = try await verify(changed + "\n{\"version\":\"4.0\"}\n" + Self.web)
        #expect(malformed.code == 65)
        #expect(
            try malformed.lines.map { try object($0)["verdict"] as? String }
                == ["invalid_signature", "malformed", "valid"])
        #expect(try await verify("").code == 65)
    }

    @Test("One object over several lines, and an array, are read too")
    func forms() async throws {
        let pretty = "\n" + Self.web.replacingOccurrences(of: ",", with: ",\n  ") + "\n"
        #expect(try await verify(pretty).output == "{\"line\":2,\"verdict\":\"valid\"}\n")
        let array = try await verify("[\(Self.web),\n\(Self.viewThrough)]")
        #expect(array.lines == [#"{"line":1,"verdict":"valid"}"#, #"{"line":2,"verdict":"valid"}"#])
    }

    @Test("A key on P-192 is refused for impressions")
    func wrongCurve() async throws {
        _ = try await Tool.adsign("keygen", "--out", folder["p192.pem"], "--curve", "p192")
        _ = try await Tool.adsign("public-key", "--key", folder["p192.pem"], "--out", folder["p192.pub"])
        #expect(try await Tool.adsign("verify", "--public-key", folder["p192.pub"], input: Self.web).code == 65)
    }

    @Test("While a network changes its key, impressions under either are valid, and the verdict names the key's file")
    func twoKeys() async throws {
        var signed = ""
        for name in ["old", "new", "foreign"] {
            _ = try await Tool.adsign("keygen", "--out", folder[name + ".pem"])
            _ = try await Tool.adsign("public-key", "--key", folder[name + ".pem"], "--out", folder[name + ".pub.pem"])
            for options in [["json", "--fidelity-type", "1"], ["openrtb"], ["jws"]] {
                let result = try await Tool.run(
                    [
                        "sign", "--key", folder[name + ".pem"], "--ad-network-id", "example123.skadnetwork",
                        "--source-identifier", "5239", "--itunes-item-id", "525463029", "--source-app-id", "1234567891",
                        "--format",
                    ] + options)
                #expect(result.code == 0, "\(result.errors)")
                signed += result.output
            }
        }
        let options = ["--public-key", folder["old.pub.pem"], "--public-key", folder["new.pub.pem"]]
        let result = try await Tool.run(["verify"] + options, input: signed)
        #expect(result.code == 1)
        let verdicts = try result.lines.map { try object($0) }
        #expect(verdicts.map { $0["verdict"] as? String }.prefix(6).allSatisfy { $0 == "valid" })
        #expect(
            verdicts.map { $0["key"] as? String }
                == [folder["old.pub.pem"], folder["new.pub.pem"]].flatMap { Array(repeating: $0, count: 3) }
                + [nil, nil, nil])
        for verdict in verdicts.suffix(3) {
            #expect(verdict["verdict"] as? String == "invalid_signature")
            #expect((verdict["detail"] as? String)?.contains("none of the keys verifies it") == true)
        }
    }
}
