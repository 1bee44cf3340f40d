import Foundation
import NIOHTTP1
import TestSupport
import Testing

extension ServerTests {
    @Suite("The source of a delivery", .installation)
    struct OriginTests {
        private static let proxy = ["FORWARDED_HEADER": "X-Forwarded-For", "TRUSTED_PROXIES": "127.0.0.0/8"]

        /// Source and User-Agent of each body, in the order of writing.
        private static let bodies = """
            SELECT concat_ws(' ', coalesce(host(source_address), '-'), coalesce(user_agent, '-'))
              FROM attribution.postback_body ORDER BY lane, position, ordinal
            """
        /// What people see of it.
        private static let postbacks = """
            SELECT concat_ws(' ', conversion_value, coalesce(host(source_address), '-'), coalesce(user_agent, '-'))
              FROM attribution.postback NATURAL JOIN attribution.postback_origin ORDER BY 1
            """

        private func post(
            _ client: PostbackClient, _ body: [UInt8], from source: String? = nil, _ userAgent: String? = nil
        ) async throws -> String? {
            let headers = [("X-Forwarded-For", source), ("User-Agent", userAgent)].compactMap { name, value in
                value.map { (name, $0) }
            }
            return try await client.request(.POST, PostbackClient.path, headers: headers, body: body).outcome
        }

        @Test("The source is that of the connection, and each stored body has its own")
        func connection() async throws {
            let installation = try Installation.current
            let database = installation.database
            let (_, client) = try await installation.start()
            let bodies = try [20, 20, 40, 7].map { try TestKeys.apple(conversionValue: $0) }
            // Nobody is believed who is no trusted proxy.
            #expect(try await post(client, bodies[0], from: "203.0.113.1", "Phone/1") == "accepted")
            #expect(try await post(client, bodies[1], "Phone/2") == "duplicate")
            #expect(try await post(client, bodies[2], "Phone/3") == "raised")
            #expect(try await post(client, bodies[3], "Phone/4") == "duplicate")
            #expect(try await database.column(Self.postbacks) == ["40 127.0.0.1 Phone/1"])
            #expect(try await database.column(Self.bodies) == ["127.0.0.1 Phone/1", "127.0.0.1 Phone/3"])
        }

        @Test("The source is what a trusted proxy says, and the proxy itself if it is not trusted")
        func proxies() async throws {
            let installation = try Installation.current
            let database = installation.database
            let bodies = try (1...3).map { value in
                try TestPostback { $0.conversionValue = value }.body(installation.keys.postbackKey)
            }
            try await installation.withServer(Self.proxy) { _, client in
                #expect(try await post(client, bodies[0], from: "198.51.100.9, 203.0.113.1", "Phone/1") == "accepted")
                let answer = try await post(client, bodies[1], from: "2001:DB8::17")
                #expect(answer == "accepted")
            }
            let others = Self.proxy.merging(["TRUSTED_PROXIES": "10.0.0.0/8"]) { $1 }
            try await installation.withServer(others) { _, client in
                let other = try await post(client, bodies[2], from: "203.0.113.3", "Phone/3")
                #expect(other == "accepted")
            }
            #expect(
                try await database.column(Self.postbacks) == [
                    "1 203.0.113.1 Phone/1", "2 2001:db8::17 -", "3 127.0.0.1 Phone/3",
                ])
        }

        @Test("With RECEIVED_FROM=off the source is not kept, neither for postbacks nor in the quarantine")
        func off() async throws {
            let installation = try Installation.current
            let database = installation.database
            let settings = Self.proxy.merging(["RECEIVED_FROM": "off"]) { $1 }
            try await installation.withServer(settings) { _, client in
                let body = try TestKeys.apple()
                #expect(try await post(client, body, from: "203.0.113.1", "Phone/1") == "accepted")
                #expect(try await post(client, [], from: "203.0.113.1", "Phone/1") == "malformed")
            }
            #expect(try await database.column(Self.postbacks) == ["20 - -"])
            #expect(
                try await database.column(
                    """
                    SELECT concat_ws(' ', coalesce(host(source_address), '-'), coalesce(user_agent, '-'))
                      FROM attribution.rejected_postback
                    """) == ["- -"])
        }

        @Test("The quarantine and `reprocess` keep the source of the first delivery and of the one that raised")
        func quarantine() async throws {
            let installation = try Installation.current
            let ring = installation.folder + "/keyring.json"
            let whole = try String(contentsOfFile: ring, encoding: .utf8)
            try installation.write(
                whole.replacing("{ \"ad-network-id\": \"com.example\" },", with: ""), to: "keyring.json")
            let stranger = try TestPostback {
                $0.adNetworkID = "com.example"
                $0.conversionValue = 7
            }.body(installation.keys.postbackKey)
            try await installation.withServer(Self.proxy) { _, client in
                // Apple's own: one row of the protected half. A test key's: one of the other half.
                for (value, source) in [(20, "203.0.113.1"), (40, "2001:db8::2"), (30, "203.0.113.3")] {
                    let body = try TestKeys.apple(conversionValue: value)
                    #expect(try await post(client, body, from: source, "Phone/\(value)") == "unknown_network")
                }
                #expect(try await post(client, stranger, from: "203.0.113.7", "Phone/7") == "unknown_network")
                #expect(try await post(client, stranger, from: "203.0.113.8", "Phone/8") == "unknown_network")
            }
            let database = installation.database
            #expect(try await database.value("SELECT count(*) FROM attribution.rejected_postback") == "2")
            try installation.write(whole, to: "keyring.json")
            let reprocess = try ServerProcess(["reprocess"], environment: installation.environment())
            #expect(try await reprocess.exitCode() == 0)
            #expect(try await database.column(Self.postbacks) == ["40 203.0.113.1 Phone/20", "7 203.0.113.7 Phone/7"])
            #expect(
                Set(try await database.column(Self.bodies)) == [
                    "203.0.113.1 Phone/20", "2001:db8::2 Phone/40", "203.0.113.7 Phone/7",
                ])
            #expect(try await database.recounts() == [])
        }
    }
}
