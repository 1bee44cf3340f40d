import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("What is refused", .server)
    struct RefusalTests {
        /// Apple's postback with one piece of its text changed.
        private func changed(_ from: String, _ to: String) throws -> [UInt8] {
            let text = String(decoding: try TestKeys.apple(), as: UTF8.self)
            try #require(text.contains(from))
            return Array(text.replacing(from, with: to).utf8)
        }

        @Test("A postback with a changed signed field, or a source app removed or added, is refused")
        func signedFields() async throws {
            let changes = [
                ("\"com.example\"", "\"example123.skadnetwork\""), (": 42", ": 43"), ("525463029", "525463030"),
                ("dedf1e28", "dedf1e29"), ("true", "false"), ("1234567891", "1234567892"),
                ("\"source-app-id\": 1234567891,", ""),
            ]
            let (installation, _, client) = try RunningServer.current
            for (from, to) in changes {
                let body = try changed(from, to)
                let answer = try await client.post(body)
                #expect(answer.status == 403)
                #expect(answer.outcome == "invalid_signature", "\(from) changed to \(to)")
                let kept = try await installation.database.value(
                    """
                    SELECT concat_ws('|', reason, field, protected, attempts, octet_length(checked_message) > 60)
                      FROM attribution.rejected_postback
                     WHERE body = convert_to($$\(String(decoding: body, as: UTF8.self))$$, 'UTF8')
                    """)
                #expect(kept == "invalid_signature|attribution-signature|f|1|t")
            }
            var withoutSource = TestPostback()
            withoutSource.sourceAppID = nil
            var body = try withoutSource.body(installation.keys.postbackKey)
            body.removeLast()
            let added = body + Array(",\"source-app-id\":1}".utf8)
            #expect(try await client.post(added).outcome == "invalid_signature")
            #expect(try await client.post(body + Array("}".utf8)).outcome == "accepted")
            let foreign = try await client.post(changed("com.example", "com.other"))
            #expect(foreign.status == 403)
            #expect(foreign.outcome == "unknown_network")
            let unknown = try await client.post(changed("\"2.0\"", "\"9.9\""))
            #expect(unknown.status == 422)
            #expect(unknown.outcome == "unsupported_version")
            #expect(try await installation.database.value("SELECT count(*) FROM attribution.postback") == "1")
        }

        @Test("A body that is not a postback gets 400 with the field or the byte, and the server continues")
        func malformed() async throws {
            let changes = [
                (": 42", ": 0", "campaign-id: "), (": 42", ": 101", "campaign-id: "),
                (": 42", ": \"42\"", "campaign-id: "), (": 20", ": -1", "conversion-value: "),
                (": 20", ": 64", "conversion-value: "), (": 20", ": 1.5", "conversion-value: "),
                (": 20", ": true", "conversion-value: "), (": true", ": 1", "redownload: "),
                ("\"app-id\"", "\"campaign-id\": 42, \"app-id\"", "byte "),
                ("{", "{\"x\": \(String(repeating: "[", count: 10_240))", "byte "),
            ]
            let (installation, _, client) = try RunningServer.current
            var bodies = try changes.map { (try changed($0.0, $0.1), $0.2) }
            bodies.append((Array("{\"version\":\"2.0\",\"x\":\"".utf8) + [0xE2, 0x81], "byte 22: "))
            bodies.append(([], "byte 0: "))
            bodies.append((Array("{}".utf8), "ad-network-id: "))
            for (body, detail) in bodies {
                let answer = try await client.post(body)
                #expect(answer.status == 400)
                #expect(answer.outcome == "malformed")
                #expect(answer.detail?.hasPrefix(detail) == true, "\(answer.text)")
            }
            #expect(
                try await installation.database.value("SELECT count(*) FROM attribution.rejected_postback")
                    == "\(bodies.count)")
            #expect(try await client.post(TestKeys.apple(conversionValue: 64)).outcome == "malformed")
            #expect(
                try await installation.database.value(
                    """
                    SELECT attempts FROM attribution.rejected_postback
                     WHERE detail LIKE 'conversion-value%' ORDER BY attempts DESC LIMIT 1
                    """) == "2")
            #expect(try await client.post(TestKeys.apple()).outcome == "accepted")
        }

        @Test("More than 16 KiB gets 413, other paths 404, other methods 405, and random bytes do no harm")
        func http() async throws {
            let (_, server, client) = try RunningServer.current
            let large = try await client.post(Array(repeating: 0x20, count: 1 << 20))
            #expect(large.status == 413)
            #expect(large.outcome == "too_large")
            #expect(large.headers["connection"] == ["close"])
            let exact = try TestKeys.apple()
            let padded = exact + Array(repeating: 0x20, count: 16_384 - exact.count)
            #expect(try await client.post(padded).outcome == "accepted")
            #expect(try await client.post(padded + [0x20]).status == 413)
            #expect(try await client.request(.GET, "/").status == 404)
            #expect(try await client.request(.GET, "/metrics").status == 404)
            let wrongMethod = try await client.request(.GET, PostbackClient.path)
            #expect(wrongMethod.status == 405)
            #expect(wrongMethod.headers["allow"] == ["POST"])
            var random = SeededGenerator(seed: 7)
            for _ in 0..<50 {
                let body = random.bytes(Int.random(in: 1...2_000, using: &random))
                #expect(try await client.post(body).status == 400)
            }
            #expect(try await client.post(exact).outcome == "duplicate")
            #expect(server.isRunning)
            let admin = try await client.admin(of: server)
            let metrics = try await admin.request(.GET, "/metrics").text
            let unknown = "protocol=\"unknown\",version=\"unknown\"} 50\n"
            #expect(
                metrics.contains(
                    "adattribution_postbacks_total{environment=\"unknown\",outcome=\"malformed\"," + unknown))
        }
    }
}
