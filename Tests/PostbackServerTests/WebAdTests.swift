import AdAttribution
import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("Web ads")
    struct WebAdTests {
        private static let path = "/.well-known/skadnetwork/get-signed-payload"

        private static func link(_ changes: [String: String] = [:]) -> [UInt8] {
            let members = [
                "ad-network-id": "\"example123.skadnetwork\"", "source-identifier": "5239",
                "itunes-item-id": "525463029", "attribution-destination": "\"https://ads.example.com\"",
            ].merging(changes) { _, changed in changed }
            return Array("{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}".utf8)
        }

        private static func question(_ nonce: String, _ changes: [String: String] = [:]) -> [UInt8] {
            let members = [
                "source_domain": "\"example.com\"", "source_engagement_type": "\"click_to_App_Store\"",
                "source_nonce": "\"\(nonce)\"", "version": "\"4.0\"",
            ].merging(changes) { _, changed in changed }
            return Array("{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}".utf8)
        }

        private static func object(_ answer: PostbackClient.Answer) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any])
        }

        private func admin() async throws -> (Installation, PostbackClient, admin: PostbackClient) {
            let installation = try Installation.current
            let (server, client) = try await installation.start()
            return (installation, client, try await client.admin(of: server))
        }

        private func makeLink(_ admin: PostbackClient, _ changes: [String: String] = [:]) async throws
            -> PostbackClient.Answer
        {
            try await admin.request(.POST, "/v1/web-ads", headers: Installation.authorization, body: Self.link(changes))
        }

        @Test(
            "A link's nonce is answered once, with a payload that the network's key verifies, and then with 404",
            .installation)
        func once() async throws {
            let (installation, client, admin) = try await admin()
            let made = try await makeLink(admin, ["nonce": "\"B7C9DA2B-15C7-4F3B-9326-135F9630033D\""])
            #expect(made.status == 201)
            let link = try Self.object(made)
            // The example of Apple's page.
            #expect(link["attributionSourceNonce"] as? String == "t8naKxXHTzuTJhNfljADPQ")
            #expect(
                link["tag"] as? String == """
                    <a href="https://apps.apple.com/app/id525463029" attributionDestination="https://ads.example.com" \
                    attributionSourceNonce="t8naKxXHTzuTJhNfljADPQ">
                    """)
            let question = Self.question("t8naKxXHTzuTJhNfljADPQ")
            let wrong = Self.question("t8naKxXHTzuTJhNfljADPQ", ["source_domain": "\"example.org\""])
            #expect(try await client.post(wrong, to: Self.path).status == 400)
            let answer = try await client.post(question, to: Self.path + "/")
            #expect(answer.status == 200)
            let payload = try Self.object(answer)
            #expect(
                Set(payload.keys) == [
                    "version", "ad_network_id", "source_identifier", "itunes_item_id", "nonce", "source_domain",
                    "timestamp", "signature",
                ])
            #expect(payload["nonce"] as? String == "b7c9da2b-15c7-4f3b-9326-135f9630033d")
            let timestamp = try #require(payload["timestamp"] as? Int)
            #expect(abs(Double(timestamp) / 1_000 - Date().timeIntervalSince1970) < 600)
            let signed = [
                "4.0", "example123.skadnetwork", "5239", "525463029", "b7c9da2b-15c7-4f3b-9326-135f9630033d",
                "example.com", "1", "\(timestamp)",
            ].joined(separator: "\u{2063}")
            let base64 = try #require(payload["signature"] as? String)
            let signature = try #require(Data(base64Encoded: base64))
            #expect(installation.networkKey.publicKey.isValid(signature: Array(signature), for: Array(signed.utf8)))
            for _ in 0..<2 { #expect(try await client.post(question, to: Self.path).status == 404) }
            let unknown = Self.question("AAAAAAAAAAAAAAAAAAAAAA")
            #expect(try await client.post(unknown, to: Self.path).status == 404)
            try await eventually("the impression is counted") {
                try await installation.database.value(
                    "SELECT impressions FROM attribution.report_campaign_daily WHERE campaign = '5239'") == "1"
                    ? true : nil
            }
        }

        @Test("If twenty devices ask for one nonce at once, one gets the payload", .installation)
        func race() async throws {
            let (_, client, admin) = try await admin()
            let link = try Self.object(try await makeLink(admin))
            let nonce = try #require(link["attributionSourceNonce"] as? String)
            let statuses = try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask { try await client.post(Self.question(nonce), to: Self.path).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + Array(repeating: 404, count: 19))
        }

        @Test("An expired nonce is unknown, and is removed later", .installation)
        func expiry() async throws {
            let (installation, client, admin) = try await admin()
            let link = try Self.object(try await makeLink(admin, ["time-to-live": "60"]))
            let nonce = try #require(link["attributionSourceNonce"] as? String)
            try await installation.database.run(
                "UPDATE attribution.web_ad SET expires_at = expires_at - interval '61 seconds'")
            #expect(try await client.post(Self.question(nonce), to: Self.path).status == 404)
        }

        @Test("Nothing is signed for a public suffix, and the nonce of the link stays unused", .installation)
        func publicSuffix() async throws {
            let (_, client, admin) = try await admin()
            let destination = ["attribution-destination": "\"https://ads.example.co.uk\""]
            let nonce = try #require(
                Self.object(try await makeLink(admin, destination))["attributionSourceNonce"] as? String)
            let refused = try await client.post(Self.question(nonce, ["source_domain": "\"co.uk\""]), to: Self.path)
            #expect(refused.status == 400 && refused.text.contains("\"field\":\"source_domain\""), "\(refused.text)")
            #expect(!refused.text.contains("signature"))
            let signed = try await client.post(
                Self.question(nonce, ["source_domain": "\"example.co.uk\""]), to: Self.path)
            #expect(signed.status == 200 && signed.text.contains("\"source_domain\":\"example.co.uk\""))
            for host in ["co.uk", "github.io", "192.0.2.1"] {
                let answer = try await makeLink(admin, ["attribution-destination": "\"https://\(host)\""])
                #expect(answer.status == 400 && answer.text.contains("no public suffix"), "\(answer.text)")
            }
            let impression = """
                {"version":"4.0","ad-network-id":"example123.skadnetwork","source-identifier":5239,
                 "itunes-item-id":525463029,"source-domain":"DOMAIN"}
                """
            for (domain, status) in [("co.uk", 400), ("example.co.uk", 200)] {
                let answer = try await admin.request(
                    .POST, "/v1/impressions", headers: Installation.authorization,
                    body: Array(impression.replacing("DOMAIN", with: domain).utf8))
                #expect(answer.status == UInt(status), "\(domain): \(answer.text)")
            }
        }

        @Test("A wrong field of a link or a request is refused by name", .installation)
        func refused() async throws {
            let (_, client, admin) = try await admin()
            for (field, json) in [
                ("ad-network-id", "\"com.example\""), ("ad-network-id", "\"Example123.skadnetwork\""),
                ("source-identifier", "10000"), ("source-identifier", "\"5239\""), ("itunes-item-id", "-1"),
                ("attribution-destination", "\"http://example.com\""),
                ("attribution-destination", "\"https://example.com/\\\">\""), ("nonce", "\"x\""),
                ("time-to-live", "59"), ("time-to-live", "2592001"), ("campaign-id", "1"),
            ] {
                let answer = try await makeLink(admin, [field: json])
                #expect(answer.status == 400, "\(field) \(json)")
                #expect(answer.text.contains("\"field\":\"\(field)\""), "\(answer.text)")
            }
            let nonce = "\"\(UUID())\""
            #expect(try await makeLink(admin, ["nonce": nonce]).status == 201)
            #expect(try await makeLink(admin, ["nonce": nonce]).status == 409)
            #expect(try await admin.request(.POST, "/v1/web-ads", body: Self.link()).status == 401)

            for (field, json) in [
                ("source_domain", "\"Example.com\""), ("source_domain", "1"), ("source_nonce", "\"\""),
                ("source_nonce", "\"t8naKxXHTzuTJhNfljADPQ==\""), ("source_nonce", "\"t8naKxXHTzuTJhNfljADPR\""),
                ("source_engagement_type", "\"tap\""), ("version", "\"3.0\""), ("version", "4.0"),
            ] {
                let body = Self.question("t8naKxXHTzuTJhNfljADPQ", [field: json])
                let answer = try await client.post(body, to: Self.path)
                #expect(answer.status == 400, "\(field) \(json)")
                #expect(answer.text.contains("\"field\":\"\(field)\""), "\(answer.text)")
            }
            #expect(try await client.post(Array("[]".utf8), to: Self.path).status == 400)
            #expect(try await client.request(.GET, Self.path).status == 405)
            #expect(try await admin.post(Self.question("t8naKxXHTzuTJhNfljADPQ"), to: Self.path).status == 404)
            let large = Array(repeating: UInt8(ascii: " "), count: 16_385)
            #expect(try await client.post(large, to: Self.path).status == 413)
        }
    }
}
