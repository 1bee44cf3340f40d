import Destinations
import Testing

@Suite("What a destination's file is refused for")
struct DestinationRefusalTests {
    /// Members with their JSON (`-` for none), and the problems without their lines.
    struct Row: Sendable, CustomTestStringConvertible {
        let members: [(String, String)]
        let problems: [String]

        init(_ members: KeyValuePairs<String, String>, _ problems: String...) {
            self.members = members.map { ($0.key, $0.value) }
            self.problems = problems
        }

        var testDescription: String { members.map { "\($0.0): \($0.1)" }.joined(separator: ", ") }
    }

    private func problems(_ row: Row) -> [String] {
        let members = row.members.reduce(into: [:]) { $0[$1.0] = $1.1 }
        var text = "{\n"
        let least = [("name", #""branch""#), ("url", #""https://receiver.example/""#), ("body", #""raw""#)]
        let all =
            least.filter { members[$0.0] == nil } + row.members.filter { $0.1 != "-" }
        text += all.map { #""\#($0.0)": \#($0.1)"# }.joined(separator: ",\n") + "\n}"
        return Destination.problems(text).map { problem in
            problem.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? problem
        }
    }

    private static let names: [Row] = [
        Row(["name": "-"], "name: is missing"),
        Row(
            ["name": #""Branch""#],
            "name: must be a name of 1 to 50 letters a-z, digits and '-', the first a letter, not \"Branch\""),
        Row(
            ["name": "7"],
            "name: must be a name of 1 to 50 letters a-z, digits and '-', the first a letter, not 7"),
        Row(["nmae": "7"], "nmae: is not a member that is known here"),
        Row(
            ["sign": #"["a", "../a"]"#],
            "sign[1]: must be the name of a secret: 1 to 50 letters a-z, digits, '-', '_' and '.', the first a letter"),
        Row(["sign": #"["a", "a"]"#], "sign[1]: stands twice in its array"),
        Row(["sign": "[]"], "sign: must be an array with at least one element and at most 4, not an array"),
    ]

    private static let filters: [Row] = [
        Row(["when": "[]"], "when: must be an object, not an array"),
        Row(
            ["when": #"{ "environment": [] }"#],
            "when.environment: must be an array with at least one element, not an array"),
        Row(
            ["when": #"{ "environment": ["live"] }"#],
            "when.environment[0]: must be production, development or test, not \"live\""),
        Row(
            ["when": #"{ "protocol": "skadnetwork" }"#], "when.protocol: must be an array, not \"skadnetwork\""),
        Row(
            ["when": #"{ "networks": ["a b", "x.skadnetwork", "X.adattributionkit"], "apps": [-1] }"#],
            "when.networks[0]: must be 1 to 64 characters out of A-Z a-z 0-9 . -, not \"a b\"",
            "when.networks[2]: stands twice in its array",
            "when.apps[0]: must be an integer from 0 to 9223372036854775807, not -1"),
        Row(["when": #"{ "did-win": 1 }"#], "when.did-win: must be true or false, not 1"),
        Row(
            ["when": #"{ "events": ["accepted", "lost"], "countries": [] }"#],
            "when.events[1]: must be accepted, raised or conflict, not \"lost\"",
            "when.countries: is not a member that is known here"),
        Row(
            ["when": #"{ "events": ["conflict"] }"#],
            "body: must be template or none, since the event conflict has no body"),
    ]

    private static let bodies: [Row] = [
        Row(["body": "-"], "body: is missing"),
        Row(["body": #""json""#], #"body: must be raw, enriched, template or none, not "json""#),
        Row(["method": #""GET""#], "body: must be none, since the method is GET"),
        Row(["method": #""post""#], #"method: must be GET, POST or PUT, not "post""#),
        Row(["body": #""enriched""#], "add: is missing"),
        Row(
            ["body": #""enriched""#, "add": "{}"], "add: must be an object with at least one member, not an object"),
        Row(["add": #"{ "a": "b" }"#], "add: must not stand here: only the body enriched has it"),
        Row(["body": #""template""#], "template: is missing"),
        Row(["template": "1"], "template: must not stand here: only the body template has it"),
        Row(
            ["body": #""none""#, "content-type": #""text/plain""#],
            "content-type: must not stand here: there is no body"),
        Row(
            ["content-type": #""json""#],
            #"content-type: must be a media type, such as application/json, not "json""#),
        Row(
            ["body": #""enriched""#, "add": #"{ "did-win": true, "jws-string": "", "country-code": "{country}" }"#],
            "add.did-win: is a field of Apple's, which bodies have already",
            "add.jws-string: is a field of Apple's, which bodies have already",
            "add.country-code: is a field of Apple's, which bodies have already"),
        Row(
            ["body": #""template""#, "template": #"{ "a": ["{secret:token}"], "n": { "number": "{app-id}1" } }"#],
            "template.a[0]: must not have a secret: secrets stand in the URL and in headers only",
            #"template.n.number: must be one macro alone, such as "{received-seconds}", not "{app-id}1""#),
        Row(
            [
                "body": #""enriched""#,
                "add": #"{ "a": { "number": "{received}" }, "b": [{ "number": "{coarse-value}" }] }"#,
            ],
            #"add.a.number: must be a macro whose value may be a number, true or false, not "{received}""#,
            #"add.b[0].number: must be a macro whose value may be a number, true or false, not "{coarse-value}""#),
    ]

    private static let settings: [Row] = [
        Row(["missing": "null"], "missing: must be empty or dead-letter, not null"),
        Row(
            ["limits": #"{ "per-second": 0, "in-flight": 257, "timeout-seconds": "15", "rate": 1 }"#],
            "limits.per-second: must be an integer from 1 to 100000, not 0",
            "limits.in-flight: must be an integer from 1 to 256, not 257",
            "limits.timeout-seconds: must be an integer from 1 to 60, not \"15\"",
            "limits.rate: is not a member that is known here"),
        Row(["success": #""3xx""#], #"success: must be "2xx", or an array of statuses, not "3xx""#),
        Row(["success": "[199]"], "success[0]: must be an integer from 200 to 599, not 199"),
        Row(
            ["retry": #"["0s", "5 m", "31d", 5]"#],
            #"retry[0]: must be a duration from 1s to 30d: an integer and s, m, h or d, not "0s""#,
            #"retry[1]: must be a duration from 1s to 30d: an integer and s, m, h or d, not "5 m""#,
            #"retry[2]: must be a duration from 1s to 30d: an integer and s, m, h or d, not "31d""#,
            "retry[3]: must be a duration from 1s to 30d: an integer and s, m, h or d, not 5"),
        Row(["allow-http": #""yes""#], #"allow-http: must be true or false, not "yes""#),
        Row(
            ["certificate-authority": #""-----BEGIN PRIVATE KEY-----\nMAMCAQE=\n-----END PRIVATE KEY-----""#],
            "certificate-authority: must be certificates as PEM, with nothing between them"),
    ]

    private static let headers: [Row] = [
        Row(["headers": #"{ "a b": "c" }"#], "headers.a b: is no name of a header"),
        Row(
            ["headers": #"{ "Host": "a", "Content-Length": "1", "webhook-id": "a" }"#],
            "headers.Host: is a header that a destination can't have of its own",
            "headers.Content-Length: is a header that a destination can't have of its own",
            "headers.webhook-id: is a header that a destination can't have of its own"),
        Row(
            ["headers": #"{ "X-A": "a", "x-a": "b" }"#],
            "headers.x-a: stands twice: the names of headers have no letter case"),
        Row(
            ["headers": #"{ "x": "a\r\nb: c", "y": " a", "z": "" }"#],
            "headers.x: must be 1 to 4096 printable ASCII characters without a blank at either end",
            "headers.y: must be 1 to 4096 printable ASCII characters without a blank at either end",
            "headers.z: must be 1 to 4096 printable ASCII characters without a blank at either end"),
    ]

    @Test(
        "The place and the rule are named, once for each mistake",
        arguments: names + filters + bodies + settings + headers)
    func refused(_ row: Row) {
        #expect(problems(row) == row.problems)
    }

    @Test(
        "A URL without HTTPS, without a good host, with a user, a fragment or a macro in its host is refused",
        arguments: [
            "http://receiver.example/", "HTTPS://receiver.example/", "receiver.example", "https://", "https:///a",
            "https://user@receiver.example/", "https://user:key@receiver.example/", "https://receiver.example/#a",
            "https://{app-id}.example/", "https://receiver.example:{app-id}/", "https://receiver.example:0/",
            "https://receiver.example:65536/", "https://receiver.example:/", "https://receiver..example/",
            "https://-receiver.example/", "https://receiver.example./", "https://0x7f.1/", "https://2130706433/",
            "https://127.1/", "https://0177.0.0.1/", "https://256.0.0.1/", "https://1.2.3.4.5/", "https://a.0x7f/",
            "https://[::1/", "https://[fe80::1%eth0]/", "https://receiver.example/a b", "https://receiver.example/ü",
            "https://receiver.example/%2", "https://receiver.example/\\\\a", "https://receiver.example/\\n",
            "ftp://receiver.example/", "file:///etc/passwd",
        ])
    func badURL(_ url: String) {
        let refused = problems(Row(["url": #""\#(url)""#]))
        #expect(refused.count == 1)
        #expect(refused.first?.hasPrefix("url: must be a URL that begins with https://") ?? false)
    }

    @Test("A macro that nobody knows is refused where it stands, and so is a brace alone")
    func unknownMacro() {
        let refused = problems(
            Row([
                "url": #""https://receiver.example/{transaction}""#, "headers": #"{ "x": "{secret:NO}" }"#,
                "body": #""enriched""#, "add": #"{ "a": "{campaign-name" }"#,
            ]))
        #expect(refused.map { $0.prefix { $0 != ":" } } == ["url", "headers.x", "add.a"])
    }

    @Test("All mistakes are named at once, with their lines")
    func allAtOnce() {
        let document = """
            {
              "name": "Branch",
              "url": "ftp://receiver.example/",
              "body": "raw",
              "limits": {
                "in-flight": 0
              },
              "colour": "red"
            }
            """
        #expect(
            Destination.problems(document).map { $0.split(separator: ": ").prefix(2).joined(separator: ": ") } == [
                "line 2: name", "line 3: url", "line 6: limits.in-flight", "line 8: colour",
            ])
    }

    @Test(
        "A file that is not one JSON object of at most 128 KiB is refused with its line",
        arguments: [
            ("", "line 1: json: JSON ends too early"), ("{\n  \"a\": }", "line 2: json: not valid JSON"),
            ("[]", "line 1: json: must be a JSON object"),
            ("{\"name\": \"a\",\n\"name\": \"b\"}", "line 2: name: stands twice in its object"),
            (
                "{\"template\": " + String(repeating: "[", count: 16) + String(repeating: "]", count: 16) + "}",
                "line 1: json: nested too deeply"
            ),
            (String(repeating: " ", count: 131_073), "line 1: file: must have at most 131072 bytes"),
        ])
    func notJSON(_ document: String, _ problem: String) {
        #expect(Destination.problems(document) == [problem])
    }

    @Test("What may be a secret is not part of a refusal: URLs, headers, certificates and names of secrets")
    func hidden() {
        let token = "S3cr3t-t0k3n"
        let document = """
            {"name": "a", "body": "raw", "url": "https://receiver.example/\(token)#", "certificate-authority": "\(token)",
            "headers": {"Authorization": "Bearer \(token)ü"}, "sign": ["\(token)"]}
            """
        let problems = Destination.problems(document)
        #expect(problems.count == 4)
        #expect(!problems.joined().contains(token))
    }
}
