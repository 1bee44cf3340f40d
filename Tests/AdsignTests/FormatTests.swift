import Foundation
import TestSupport
import Testing

@Suite("Forms of an impression", .enabled(if: Tool.adsign != nil, "no adsign in TEST_BIN_DIR or beside the tests"))
struct FormatTests {
    let folder: Scratch

    init() async throws {
        folder = try Scratch()
        _ = try await Tool.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", folder["key.pem"])
        _ = try await Tool.openssl("pkey", "-in", folder["key.pem"], "-pubout", "-out", folder["pub.pem"])
    }

    private static let nonce = "431a2487-3302-4ee7-9eb5-4243d4607672"
    private static let time = "1676057605705"

    private func sign(_ arguments: String...) async throws -> Tool.Result {
        try await Tool.run(
            [
                "sign", "--key", folder["key.pem"], "--ad-network-id", "example123.skadnetwork", "--itunes-item-id",
                "525463029", "--timestamp", Self.time,
            ] + arguments)
    }

    /// What `openssl dgst -verify` says of a message.
    private func opensslVerifies(_ message: String, _ signature: Data) async throws -> Bool {
        try folder.write("message", message)
        try signature.write(to: URL(fileURLWithPath: folder["signature"]))
        return try await Tool.openssl(
            "dgst", "-sha256", "-verify", folder["pub.pem"], "-signature", folder["signature"], folder["message"]
        ).output.contains("Verified OK")
    }

    private func opensslVerifies(_ values: [String], _ base64: Any?) async throws -> Bool {
        let text = try #require(base64 as? String)
        return try await opensslVerifies(
            values.joined(separator: "\u{2063}"), try #require(Data(base64Encoded: text)))
    }

    struct Version: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let options: [String]
        /// The documented string, value by value; `N` and `T` stand for nonce and timestamp.
        let values: String
    }

    static let versions = [
        Version(
            testDescription: "1.0", options: ["--version", "1.0", "--campaign-id", "42"],
            values: "example123.skadnetwork 42 525463029 N T"),
        Version(
            testDescription: "2.0", options: ["--version", "2.0", "--campaign-id", "1", "--source-app-id", "7"],
            values: "2.0 example123.skadnetwork 1 525463029 N 7 T"),
        Version(
            testDescription: "2.1", options: ["--version", "2.1", "--campaign-id", "100", "--source-app-id", "0"],
            values: "2.1 example123.skadnetwork 100 525463029 N 0 T"),
        Version(
            testDescription: "2.2",
            options: ["--version", "2.2", "--campaign-id", "42", "--source-app-id", "7", "--fidelity-type", "0"],
            values: "2.2 example123.skadnetwork 42 525463029 N 7 0 T"),
        Version(
            testDescription: "3.0",
            options: ["--version", "3.0", "--campaign-id", "42", "--source-app-id", "7", "--fidelity-type", "1"],
            values: "3.0 example123.skadnetwork 42 525463029 N 7 1 T"),
        Version(
            testDescription: "4.0 app",
            options: ["--source-identifier", "5239", "--source-app-id", "7", "--fidelity-type", "1"],
            values: "4.0 example123.skadnetwork 5239 525463029 N 7 1 T"),
        Version(
            testDescription: "4.0 web", options: ["--source-identifier", "5239", "--source-domain", "example.com"],
            values: "4.0 example123.skadnetwork 5239 525463029 N example.com 1 T"),
    ]

    @Test("openssl verifies each version over the documented string, and so does adsign", arguments: versions)
    func everyVersion(_ version: Version) async throws {
        let result = try await Tool.run(
            [
                "sign", "--key", folder["key.pem"], "--ad-network-id", "example123.skadnetwork", "--itunes-item-id",
                "525463029", "--timestamp", Self.time, "--nonce", Self.nonce.uppercased(), "--explain",
            ] + version.options)
        #expect(result.code == 0)
        let line = try #require(result.lines.last)
        let values = version.values.split(separator: " ").map { ["N": Self.nonce, "T": Self.time][$0] ?? String($0) }
        #expect(try await opensslVerifies(values, try object(line)["signature"]))
        #expect(result.output.contains("string     " + values.joined(separator: "·") + "\n"))
        let message = Array(values.joined(separator: "\u{2063}").utf8)
        let hex = message.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(result.output.contains("bytes      \(hex)\n"))
        try folder.write("message", values.joined(separator: "\u{2063}"))
        let digest = try await Tool.openssl("dgst", "-sha256", "-r", folder["message"]).output.prefix(64)
        #expect(result.output.contains("SHA-256    \(digest)\n"))
        let verified = try await Tool.adsign("verify", "--public-key", folder["pub.pem"], input: line)
        #expect(verified.output == "{\"line\":1,\"verdict\":\"valid\"}\n")
    }

    @Test("OpenRTB: strings but for the fidelity, one signature and one nonce for each fidelity type")
    func openRTB() async throws {
        let result = try await sign(
            "--format", "openrtb", "--source-identifier", "5239", "--source-app-id", "1234567891")
        let skadn = try object(result.output)
        #expect(
            Set(skadn.keys) == ["version", "network", "sourceidentifier", "itunesitem", "sourceapp", "fidelities"])
        #expect(skadn["sourceidentifier"] as? String == "5239")
        #expect(skadn["itunesitem"] as? String == "525463029")
        #expect(skadn["sourceapp"] as? String == "1234567891")
        let fidelities = try #require(skadn["fidelities"] as? [[String: Any]])
        #expect(fidelities.map { $0["fidelity"] as? Int } == [0, 1])
        #expect(Set(fidelities.compactMap { $0["nonce"] as? String }).count == 2)
        for (number, fidelity) in fidelities.enumerated() {
            #expect(Set(fidelity.keys) == ["fidelity", "nonce", "timestamp", "signature"])
            #expect(fidelity["timestamp"] as? String == Self.time)
            let values = [
                "4.0", "example123.skadnetwork", "5239", "525463029", try #require(fidelity["nonce"] as? String),
                "1234567891", "\(number)", Self.time,
            ]
            #expect(try await opensslVerifies(values, fidelity["signature"]))
        }
        let one = try await sign(
            "--format", "openrtb", "--source-identifier", "5239", "--source-app-id", "7", "--fidelity-type", "1")
        #expect((try object(one.output)["fidelities"] as? [Any])?.count == 1)
        let old = try await sign(
            "--format", "openrtb", "--version", "2.0", "--campaign-id", "42", "--source-app-id", "7", "--nonce",
            Self.nonce)
        let top = try object(old.output)
        #expect(
            Set(top.keys) == [
                "version", "network", "campaign", "itunesitem", "sourceapp", "nonce", "timestamp", "signature",
            ])
        #expect(top["campaign"] as? String == "42")
        #expect(
            try await opensslVerifies(
                ["2.0", "example123.skadnetwork", "42", "525463029", Self.nonce, "7", Self.time], top["signature"]))
        for refused in [
            try await sign("--format", "openrtb", "--version", "1.0", "--campaign-id", "42"),
            try await sign("--format", "openrtb", "--source-identifier", "5239", "--source-domain", "example.com"),
        ] {
            #expect(refused.code == 64)
        }
    }

    @Test("StoreKit: the product parameters, or SKAdImpression's properties for a view-through ad")
    func storeKit() async throws {
        let rendered = try object(
            try await sign("--format", "storekit", "--source-identifier", "5239", "--source-app-id", "7").output)
        let prefix = "SKStoreProductParameter"
        #expect(
            Set(rendered.keys)
                == Set(
                    [
                        "AdNetworkVersion", "AdNetworkIdentifier", "AdNetworkSourceIdentifier", "ITunesItemIdentifier",
                        "AdNetworkNonce", "AdNetworkSourceAppStoreIdentifier", "AdNetworkTimestamp",
                        "AdNetworkAttributionSignature",
                    ].map { prefix + $0 }))
        let nonce = try #require(rendered[prefix + "AdNetworkNonce"] as? String)
        #expect(
            try await opensslVerifies(
                ["4.0", "example123.skadnetwork", "5239", "525463029", nonce, "7", "1", Self.time],
                rendered[prefix + "AdNetworkAttributionSignature"]))
        let viewed = try object(
            try await sign(
                "--format", "storekit", "--version", "2.2", "--campaign-id", "42", "--source-app-id", "7",
                "--fidelity-type", "0", "--nonce", Self.nonce
            ).output)
        #expect(viewed["adCampaignIdentifier"] as? Int == 42)
        #expect(viewed["adImpressionIdentifier"] as? String == Self.nonce)
        #expect(viewed["advertisedAppStoreItemIdentifier"] as? Int == 525_463_029)
        #expect(
            try await opensslVerifies(
                ["2.2", "example123.skadnetwork", "42", "525463029", Self.nonce, "7", "0", Self.time],
                viewed["signature"]))
        let web = try await sign("--format", "storekit", "--source-identifier", "1", "--source-domain", "example.com")
        #expect(web.code == 64)
    }

    @Test("JWS: openssl verifies header and payload, whose fields are AdAttributionKit's")
    func jws() async throws {
        let result = try await sign(
            "--format", "jws", "--source-identifier", "5239", "--source-app-id", "7", "--nonce", Self.nonce,
            "--eligible-for-re-engagement", "true")
        let jws = try #require(result.lines.first)
        let parts = jws.split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        let header = try object(String(decoding: try base64URL(parts[0]), as: UTF8.self))
        #expect(header as? [String: String] == ["alg": "ES256", "kid": "example123.skadnetwork"])
        let payload = try object(String(decoding: try base64URL(parts[1]), as: UTF8.self))
        let expected: [String: Any] = [
            "impression-identifier": Self.nonce, "publisher-item-identifier": 7, "impression-type": "app-impression",
            "ad-network-identifier": "example123.skadnetwork", "source-identifier": 5239,
            "timestamp": 1_676_057_605_705, "advertised-item-identifier": 525_463_029,
            "eligible-for-re-engagement": true,
        ]
        #expect(NSDictionary(dictionary: payload) == NSDictionary(dictionary: expected))
        let raw = try base64URL(parts[2])
        #expect(raw.count == 64)
        #expect(try await opensslVerifies(parts[0] + "." + parts[1], Self.der(raw)))
        for input in [jws, "{\"jws-string\":\"\(jws)\"}"] {
            let verified = try await Tool.adsign("verify", "--public-key", folder["pub.pem"], input: input + "\n")
            #expect(verified.output == "{\"line\":1,\"verdict\":\"valid\"}\n")
        }
        let forged = parts[0] + "." + String(parts[1].reversed()) + "." + parts[2]
        #expect(try await Tool.adsign("verify", "--public-key", folder["pub.pem"], input: forged).code == 65)
        for refused in ["--version", "--fidelity-type"] {
            let result = try await sign(
                "--format", "jws", "--source-identifier", "5239", "--source-app-id", "7", refused,
                refused == "--version" ? "4.0" : "1")
            #expect(result.code == 64)
        }
    }

    /// Whether Python and its `cryptography` are here; the test that needs them is skipped elsewhere, visibly.
    @Sendable static func hasPython() async -> Bool {
        let arguments = ["python3", "-c", "import cryptography"]
        return (try? await ChildProcess.run("/usr/bin/env", arguments))?.code == 0
    }

    @Test("JWS: Python's cryptography verifies it", .enabled("no python3 with cryptography", hasPython))
    func python() async throws {
        let signed = try await sign("--format", "jws", "--source-identifier", "39", "--source-app-id", "0")
        let script = """
            import base64, sys
            from cryptography.hazmat.primitives import hashes, serialization
            from cryptography.hazmat.primitives.asymmetric import ec, utils
            header, payload, signature = sys.argv[2].split('.')
            raw = base64.urlsafe_b64decode(signature + '=' * (-len(signature) % 4))
            der = utils.encode_dss_signature(int.from_bytes(raw[:32], 'big'), int.from_bytes(raw[32:], 'big'))
            key = serialization.load_pem_public_key(open(sys.argv[1], 'rb').read())
            key.verify(der, f'{header}.{payload}'.encode(), ec.ECDSA(hashes.SHA256()))
            """
        let jws = try #require(signed.lines.first)
        let parts = jws.split(separator: ".").map(String.init)
        for (text, isGood) in [(jws, true), (parts[0] + "." + parts[0] + "." + parts[2], false)] {
            let result = try await ChildProcess.run(
                "/usr/bin/env", ["python3", "-c", script, folder["pub.pem"], text])
            #expect((result.code == 0) == isGood)
        }
    }

    @Test("verify reads each form that sign writes, in each version that the form has, and refuses a changed field")
    func verifiesEveryForm() async throws {
        let old = ["--campaign-id", "42", "--source-app-id", "7"]
        let new = ["--source-identifier", "5239", "--source-app-id", "7"]
        var lines: [String] = []
        for options in [
            ["--format", "storekit", "--version", "1.0", "--campaign-id", "42"],
            ["--format", "storekit", "--version", "2.0"] + old,
            ["--format", "storekit", "--version", "2.2", "--fidelity-type", "0"] + old,
            ["--format", "storekit", "--version", "3.0", "--fidelity-type", "1"] + old,
            ["--format", "storekit"] + new, ["--format", "storekit", "--fidelity-type", "0"] + new,
            ["--format", "storekit", "--campaign-token", "summer", "--provider-token", "118429"] + new,
            ["--format", "openrtb", "--version", "2.1"] + old, ["--format", "openrtb", "--version", "2.2"] + old,
            ["--format", "openrtb"] + new, ["--format", "openrtb", "--fidelity-type", "1"] + new,
            ["--format", "jws"] + new, ["--format", "json", "--fidelity-type", "1"] + new,
        ] {
            let signed = try await Tool.run(
                [
                    "sign", "--key", folder["key.pem"], "--ad-network-id", "example123.skadnetwork",
                    "--itunes-item-id", "525463029",
                ] + options)
            #expect(signed.code == 0)
            lines += signed.lines
        }
        func verify(_ text: String) async throws -> Tool.Result {
            try await Tool.adsign("verify", "--public-key", folder["pub.pem"], input: text)
        }
        let result = try await verify(lines.joined(separator: "\n"))
        #expect(result.code == 0)
        #expect(result.lines == (1...lines.count).map { "{\"line\":\($0),\"verdict\":\"valid\"}" })
        let objects = lines.filter { $0.hasPrefix("{") }.map { $0.replacing("525463029", with: "525463028") }
        let forged = try await verify(objects.joined(separator: "\n"))
        #expect(forged.code == 1)
        #expect(forged.lines.count == objects.count)
        for line in forged.lines { #expect(try object(line)["verdict"] as? String == "invalid_signature") }
        #expect(forged.lines[9].contains("fidelities[0].signature"))
        let explained = try await Tool.adsign(
            "verify", "--public-key", folder["pub.pem"], "--explain", input: lines[9] + "\n")
        #expect(explained.output.components(separatedBy: "SHA-256").count == 3)
    }

    @Test(
        "What is none of the forms is refused with the key and its rule",
        arguments: [
            (#"{"itunesitem":525463029,"network":"a.b"}"#, "itunesitem: must be a string"),
            (#"{"network":"a.b","fidelities":7}"#, "fidelities: must be an array of objects"),
            (#"{"network":"a.b","fidelities":[]}"#, "fidelities: must have an element"),
            (#"{"network":"a.b","fidelities":[7]}"#, "fidelities: must be an array of objects"),
            (#"{"network":"a.b","fidelities":[{"fidelity":2}]}"#, "fidelities[0].fidelity: must be 0"),
            (#"{"network":"a.b","itunesapp":"7"}"#, "itunesapp: is not a key of OpenRTB's skadn"),
            (#"{"network":"a.b","sourceidentifier":"05"}"#, "sourceidentifier: must be a string"),
            (#"{"sourceIdentifier":12,"adType":"x","nonce":"x"}"#, "nonce: is not a key of SKAdImpression"),
            (
                #"{"adCampaignIdentifier":12,"version":"2.0"}"#,
                "version: must be 2.2 or later for a view-through ad"
            ),
            (
                #"{"SKStoreProductParameterAdNetworkNonce":"x"}"#,
                "SKStoreProductParameterAdNetworkNonce: must be a string"
            ),
            (#"{"SKStoreProductParameterAdNetworkVersion":"4.0"}"#, "ad-network-id: is missing"),
        ])
    func refusesOtherForms(input: String, detail: String) async throws {
        try folder.write("line", input)
        let result = try await Tool.adsign("verify", "--public-key", folder["pub.pem"], folder["line"])
        #expect(result.code == 65)
        let verdict = try object(result.output)
        #expect(verdict["verdict"] as? String == "malformed")
        #expect((verdict["detail"] as? String)?.hasPrefix(detail) == true, "\(result.output)")
    }

    @Test("StoreKit: campaign and provider tokens pass through, on the command line and in a batch, for rendered ads")
    func tokens() async throws {
        let tokens = ["--campaign-token", "summer", "--provider-token", "118429"]
        let rendered = ["--source-identifier", "5239", "--source-app-id", "7"]
        let base = [
            "sign", "--key", folder["key.pem"], "--ad-network-id", "example123.skadnetwork", "--itunes-item-id",
            "525463029",
        ]
        let one = try object(try await Tool.run(base + rendered + tokens + ["--format", "storekit"]).output)
        #expect(one["SKStoreProductParameterCampaignToken"] as? String == "summer")
        #expect(one["SKStoreProductParameterProviderToken"] as? String == "118429")
        let batch = try await Tool.run(
            base + rendered + ["--format", "storekit", "--batch", "--provider-token", "118429"],
            input: "{\"campaign-token\":\"winter\"}\n{}\n")
        #expect(batch.code == 0)
        let lines = try batch.lines.map { try object($0) }
        #expect(lines.map { $0["SKStoreProductParameterCampaignToken"] as? String } == ["winter", nil])
        #expect(lines.allSatisfy { $0["SKStoreProductParameterProviderToken"] as? String == "118429" })
        for format in ["json", "openrtb", "jws"] {
            let refused = try await Tool.run(base + rendered + tokens + ["--format", format])
            #expect(refused.code == 64)
            #expect(refused.errors.contains("campaign-token: has a place only in the form storekit"))
        }
        let viewed = try await Tool.run(base + rendered + tokens + ["--format", "storekit", "--fidelity-type", "0"])
        #expect(viewed.code == 64)
        #expect(viewed.errors.contains("campaign-token: has no place in a view-through ad"))
        let wrong = try await Tool.run(base + rendered + ["--format", "storekit", "--campaign-token", "a b"])
        #expect(wrong.code == 64)
    }

    @Test("A batch writes each form line by line, JWS as JSON, and errors in their place")
    func batches() async throws {
        let line = #"{"itunes-item-id":525463029,"source-app-id":7,"source-identifier":5239}"#
        let bad = line.replacing("5239", with: "10000")
        for (format, member) in [
            ("openrtb", "fidelities"), ("storekit", "SKStoreProductParameterAdNetworkNonce"),
            ("jws", "jws-string"),
        ] {
            let result = try await Tool.adsign(
                "sign", "--batch", "--format", format, "--key", folder["key.pem"], "--ad-network-id",
                "example123.skadnetwork", input: [line, bad, line].joined(separator: "\n"))
            #expect(result.code == 65)
            let lines = try result.lines.map { try object($0) }
            #expect(lines.map { $0[member] != nil } == [true, false, true])
            #expect((lines[1]["error"] as? [String: String])?["field"] == "source-identifier")
        }
        let explained = try await Tool.adsign("sign", "--batch", "--explain", "--key", folder["key.pem"])
        #expect(explained.code == 64)
    }

    private func base64URL(_ text: String) throws -> Data {
        let padded = text.replacing("-", with: "+").replacing("_", with: "/")
        return try #require(
            Data(base64Encoded: padded + String(repeating: "=", count: (4 - padded.count % 4) % 4)))
    }

    /// DER out of R and S side by side, put together here a second time, on purpose.
    private static func der(_ raw: Data) -> Data {
        let integers = [raw.prefix(32), raw.suffix(32)].map { half in
            let digits = half.drop { $0 == 0 }
            let bytes = (digits.first ?? 0) >= 0x80 ? Data([0]) + digits : Data(digits)
            return Data([2, UInt8(bytes.count)]) + bytes
        }
        let content = integers[0] + integers[1]
        return Data([0x30, UInt8(content.count)]) + content
    }
}
