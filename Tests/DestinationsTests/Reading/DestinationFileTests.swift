import AdAttribution
import Destinations
import Testing

@Suite("A destination's file")
struct DestinationFileTests {
    private func secret(_ name: String) throws -> SecretName { try #require(SecretName(name)) }

    @Test("A file with every member is read")
    func whole() throws {
        let destination = try Destination(
            """
            {
              "name": "branch-2",
              "when": {
                "environment": ["production", "test"], "protocol": ["adattributionkit"],
                "networks": ["Example123.skadnetwork"], "apps": [525463029], "did-win": true,
                "developer-copies": true, "events": ["accepted"]
              },
              "method": "PUT",
              "url": "http://[2001:db8::1]:8080/{transaction-id}?t={secret:token_1}&a=%20",
              "content-type": "application/json; charset=utf-8",
              "headers": { "Authorization": "Bearer {secret:branch-token}", "x-app": "{app-id}" },
              "body": "template",
              "template": { "app": { "number": "{app-id}" }, "list": ["{event}", 1.50, true, null, {}] },
              "missing": "dead-letter",
              "sign": ["new.key", "branch-token"],
              "limits": { "per-second": 200, "in-flight": 256, "timeout-seconds": 60 },
              "success": [200, 202, 404],
              "retry": ["1s", "5m", "2h", "30d"],
              "disable-after": "12h",
              "allow-http": true
            }
            """)
        #expect("\(destination.name)" == "branch-2")
        #expect(destination.method == .put)
        #expect(destination.contentType == "application/json; charset=utf-8")
        #expect(destination.headers.map(\.name) == ["Authorization", "x-app"])
        #expect(destination.missing == .deadLetter)
        #expect(destination.signing == [try secret("new.key"), try secret("branch-token")])
        #expect(
            destination.secrets == [try secret("branch-token"), try secret("new.key"), try secret("token_1")])
        #expect(destination.limits.perSecond == 200)
        #expect(destination.limits.inFlight == 256)
        #expect(destination.limits.timeout == .seconds(60))
        #expect((200...599).filter(destination.success.accepts) == [200, 202, 404])
        #expect(destination.retry.delays == [.seconds(1), .seconds(300), .seconds(7_200), .seconds(2_592_000)])
        #expect(destination.disableAfter == .seconds(43_200))
        #expect(destination.allowsHTTP)
        guard case .template(.object(let members)) = destination.body else {
            Issue.record("the body is \(destination.body)")
            return
        }
        #expect(members.map(\.name) == ["app", "list"])
        let elements: [JSONTemplate] = [
            .string(try RequestTemplate("{event}")), .literal("1.50"), .literal("true"), .literal("null"), .object([]),
        ]
        #expect(members.map(\.value) == [.number(try #require(Macro(rawValue: "app-id"))), .array(elements)])
    }

    @Test("A file with the least members has the defaults")
    func defaults() throws {
        let destination = try Destination(members: [:])
        #expect(destination.filter == .standard)
        #expect(destination.method == .post)
        #expect(destination.headers.isEmpty)
        #expect(destination.body == .raw)
        #expect(destination.contentType == "application/json")
        #expect(destination.missing == .empty)
        #expect(destination.secrets.isEmpty)
        #expect(destination.limits.perSecond == nil)
        #expect(destination.limits.inFlight == 32)
        #expect(destination.limits.timeout == .seconds(15))
        #expect((100...599).filter(destination.success.accepts) == Array(200...299))
        #expect(
            destination.retry.delays.map { $0.components.seconds }
                == [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400])
        #expect(destination.disableAfter == .seconds(432_000))
        #expect(!destination.allowsHTTP)
        #expect(destination.certificateAuthority == nil)
    }

    @Test("An enriched body keeps its members in the order of the file")
    func enriched() throws {
        let destination = try Destination(members: [
            "body": #""enriched""#, "add": #"{ "z": "{campaign-name}", "a": { "number": "{received-seconds}" } }"#,
        ])
        guard case .enriched(let members) = destination.body else {
            Issue.record("the body is \(destination.body)")
            return
        }
        #expect(members.map(\.name) == ["z", "a"])
    }

    @Test("Without any delay there is no retry")
    func noRetry() throws {
        #expect(try Destination(members: ["retry": "[]"]).retry.delays.isEmpty)
    }

    @Test(
        "Hosts are names, dotted addresses, and IPv6 addresses in brackets; ports are any",
        arguments: [
            "receiver.example", "a", "xn--bcher-kva.example", "RECEIVER.example", "receiver_1.internal", "192.0.2.1",
            "[::1]", "[2001:db8::1]", "receiver.example:1", "192.0.2.1:65535", "[::1]:8443", "1.example",
        ])
    func hosts(_ host: String) throws {
        _ = try Destination(members: ["url": #""https://\#(host)/path?query""#])
        _ = try Destination(members: ["url": #""https://\#(host)?{app-id}""#])
        _ = try Destination(members: ["url": #""https://\#(host)""#])
    }

    @Test("Certificates of authorities are read as PEM, one or more")
    func certificateAuthority() throws {
        let one = ["-----BEGIN CERTIFICATE-----", "MAMC", "AQE=", "-----END CERTIFICATE-----"]
        for lines in [one, one + one] {
            for (end, escaped) in [("\n", #"\n"#), ("\r\n", #"\r\n"#)] {
                let json = lines.joined(separator: escaped)
                let destination = try Destination(members: ["certificate-authority": "\"\(json)\""])
                #expect(destination.certificateAuthority == lines.joined(separator: end))
            }
        }
    }
}
