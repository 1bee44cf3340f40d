import Destinations
import Foundation
import Testing

/// A value is data wherever it stands: nobody who chooses a value changes the request around it.
@Suite("Values in their places")
struct ValuePlaceTests {
    private static let hostile = "a\" \\ }{ /?&#%=+ü\u{202E}{secret:token}"

    private func names(_ campaign: String) -> EventNames { EventNames(campaignName: campaign) }

    @Test("In a URL all but unreserved characters are percent-encoded; braces of the file too")
    func url() throws {
        let destination = try Destination(members: [
            "url": #""https://receiver.example/{{a}}/{campaign-name}?t={secret:token}&c={campaign-name}""#
        ])
        let request = try destination.request(for: .bare(body: [], names: names(Self.hostile)))
        let encoded =
            "a%22%20%5C%20%7D%7B%20%2F%3F%26%23%25%3D%2B%C3%BC%E2%80%AE%7Bsecret%3Atoken%7D"
        #expect(
            request.url == "https://receiver.example/%7Ba%7D/\(encoded)?t={secret:token}&c=\(encoded)")
        let signed = try request.signed(with: .files(["token": "s/1&"]), at: 0)
        #expect(signed.url == "https://receiver.example/%7Ba%7D/\(encoded)?t=s%2F1%26&c=\(encoded)")
    }

    @Test("In a header a value stays as it is, and can't become a secret")
    func header() throws {
        let destination = try Destination(members: [
            "headers": #"{"X-Agent": "{user-agent} {{x}}", "Authorization": "Bearer {secret:token}"}"#
        ])
        let values = [Self.hostile, "{{secret:token}}", "{\u{301}secret:token}", "{campaign}", "{", "}}", ""]
        for value in values {
            let request = try destination.request(for: .bare(body: [], userAgent: value))
            let signed = try request.signed(with: .files(["token": "abc"]), at: 0)
            let found = signed.headers.prefix(2).map { Array($0.value.utf8) }
            #expect(found == [Array("\(value) {x}".utf8), Array("Bearer abc".utf8)], "\(value)")
        }
    }

    @Test(
        "A control character in the value of a header makes the event unsendable",
        arguments: ["a\r\nX-Admin: 1", "\n", "a\u{0}", "\t", "\u{7F}"])
    func controls(_ value: String) throws {
        let destination = try Destination(members: ["headers": #"{"X-Agent": "{user-agent}"}"#])
        #expect(
            destination.refusal(of: try .bare(body: [], userAgent: value))
                == "{user-agent} has a control character, which the header X-Agent can't have")
    }

    @Test("In JSON a value is a string and nothing else")
    func json() throws {
        let destination = try Destination(members: [
            "body": #""template""#, "template": #"["{campaign-name}", "<{campaign-name}{{}}>"]"#,
        ])
        let body = try #require(try destination.request(for: .bare(names: names(Self.hostile))).body)
        #expect(try JSONArray.texts(body) == [Self.hostile, "<\(Self.hostile){}>"])
    }

    @Test("A missing value is empty, or makes a dead letter, as the file says")
    func missing() throws {
        func destination(_ missing: String) throws -> Destination {
            try Destination(members: [
                "url": #""https://receiver.example/?c={campaign-id}""#, "body": #""none""#,
                "missing": #""\#(missing)""#,
            ])
        }
        #expect(try destination("empty").request(for: .bare()).url == "https://receiver.example/?c=")
        #expect(
            try destination("dead-letter").refusal(of: .bare()) == "{campaign-id} has no value for this event")
        #expect(try destination("dead-letter").refusal(of: .genuine()) == nil)
    }

    @Test("The type of the body stands behind the destination's own headers, and only if there is a body")
    func contentType() throws {
        let raw = try Destination(members: ["headers": #"{"X-A": "1"}"#]).request(for: .bare(body: [1, 2]))
        #expect(raw.headers.map(\.name) == ["X-A", "Content-Type"])
        #expect(raw.headers.last?.value == "application/json")
        #expect(raw.body == [1, 2])
        let none = try Destination(members: ["body": #""none""#]).request(for: .bare(body: [1, 2]))
        #expect(none.headers.isEmpty)
        #expect(none.body == nil)
    }

    @Test("The type of the body stays as the file says it, and is no place for a secret")
    func braces() throws {
        let type = "application/json; a=\"{secret:token}{{\""
        let quoted = type.replacing("\"", with: "\\\"")
        let destination = try Destination(members: [
            "content-type": "\"\(quoted)\"", "headers": #"{"X-A": "{secret:token}"}"#,
        ])
        let signed = try destination.request(for: .bare(body: [1])).signed(with: .files(["token": "abc"]), at: 0)
        #expect(signed.headers.first { $0.name == "Content-Type" }?.value == type)
    }
}
