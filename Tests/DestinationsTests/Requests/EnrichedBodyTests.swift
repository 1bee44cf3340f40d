import AdAttribution
import Destinations
import Foundation
import TestSupport
import Testing

@Suite("Bodies with members inserted")
struct EnrichedBodyTests {
    private static let added = #""partner-campaign-id":"c-1","timestamp":1710439480"#

    private let destination: Destination

    init() throws {
        destination = try Destination(members: [
            "body": #""enriched""#,
            "add": #"{"partner-campaign-id": "{campaign-id}", "timestamp": {"number": "{received-seconds}"}}"#,
        ])
    }

    private func event(_ body: [UInt8]?) throws -> ForwardedEvent {
        try .bare(body: body, names: EventNames(campaignID: "c-1"))
    }

    private func event(_ body: String) throws -> ForwardedEvent { try event(Array(body.utf8)) }

    @Test(
        "Members stand before the last brace; every other byte stays",
        arguments: [
            (#"{"a":1}"#, #"{"a":1,ADDED}"#), ("{}", "{ADDED}"), (" { } \n", " { ADDED} \n"),
            ("{\"a\" : 1.50E+2 \r\n}\t", "{\"a\" : 1.50E+2 \r\n,ADDED}\t"),
            (#"{"a":{"b":"}"}}"#, #"{"a":{"b":"}"},ADDED}"#),
            (#"{"a\/\u0062":"\u00fc ü"}"#, #"{"a\/\u0062":"\u00fc ü",ADDED}"#),
            (#"{"a":{"timestamp":1}}"#, #"{"a":{"timestamp":1},ADDED}"#),
            (#"{"Timestamp":1}"#, #"{"Timestamp":1,ADDED}"#),
        ])
    func inserted(_ body: String, expected: String) throws {
        #expect(
            try destination.bodyText(for: event(body)) == expected.replacingOccurrences(of: "ADDED", with: Self.added))
    }

    @Test(
        "A body that has such a member already, however its name is escaped, can't be sent",
        arguments: [
            (#"{"timestamp":"1"}"#, "timestamp"), (#"{"a":1,"\u0074imestamp":null}"#, "timestamp"),
            (#"{"partner\u002dcampaign-id":{}}"#, "partner-campaign-id"),
            (#"{"partner-campaign-id":1,"timestam\u0070":2}"#, "partner-campaign-id, timestamp"),
        ])
    func present(_ body: String, names: String) throws {
        #expect(
            destination.refusal(of: try event(body)) == "the body has members that were to be added: \(names)")
    }

    @Test(
        "A body that is no JSON object can't be enriched",
        arguments: ["", "[]", "}", "{", "{}{}", #"{"a":1}}"#, #"{"a":1,}"#, #"{"a":1,"a":2}"#, "\u{FEFF}{}", "null"])
    func noObject(_ body: String) throws {
        #expect(destination.refusal(of: try event(body))?.hasPrefix("the body can't be enriched: byte ") == true)
    }

    @Test("A body that left with retention, and that of a conflict, can't be sent")
    func gone() throws {
        #expect(destination.refusal(of: try event(nil)) == "the body left the database with retention")
        let conflict = try ForwardedEvent.bare(kind: .conflict)
        #expect(destination.refusal(of: conflict) == "the body of a conflict is not stored")
        #expect(try Destination(members: [:]).refusal(of: event(nil)) == "the body left the database with retention")
    }

    /// Genuine postbacks of the fixtures, written in two ways: with escapes on one line, and over many lines.
    private static func genuineBodies() throws -> [[UInt8]] {
        let forms: [JSONSerialization.WritingOptions] = [
            [.sortedKeys], [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes],
        ]
        let folder = VectorFile.repository.appending(path: "Tests/AdAttributionTests/Fixtures")
        return try ["skan-postbacks.json", "adattributionkit.json"].flatMap { name in
            try VectorFile.entries(of: folder.appending(path: name)).flatMap { entry -> [[UInt8]] in
                guard entry["verifies"] as? Bool == true, let postback = entry["postback"] as? [String: Any] else {
                    return []
                }
                // Apple's example of 2.0 has a member of this name.
                let body = postback.filter { $0.key != "timestamp" }
                return try forms.map {
                    Array(try JSONSerialization.data(withJSONObject: body, options: $0))
                }
            }
        }
    }

    @Test("Genuine postbacks still verify under Apple's keys, with the same signed message")
    func genuine() throws {
        let networks = try ["com.example", "example123.skadnetwork", "development.adattributionkit"].map {
            KeyRing.Network(adNetworkID: try #require(AdNetworkID($0)), signingKey: nil)
        }
        let verifier = PostbackVerifier(keyRing: try KeyRing(networks: networks))
        let bodies = try Self.genuineBodies()
        #expect(bodies.count >= 16)
        for body in bodies {
            let enriched = try #require(try destination.request(for: event(body)).body)
            let (before, after) = (try Postback(parsing: body), try Postback(parsing: enriched))
            #expect(after.signedMessage.bytes == before.signedMessage.bytes)
            #expect(throws: Never.self) { try verifier.verify(after) }
            #expect(enriched.count == body.count + 1 + Self.added.utf8.count)
        }
    }

    @Test("Any bytes are enriched without a change of theirs, or refused")
    func arbitrary() throws {
        let bodies = try Self.genuineBodies()
        var random = SeededGenerator(seed: 35)
        var sent = 0
        for round in 0..<4_000 {
            var body = round % 4 == 0 ? random.bytes(round % 300) : bodies[round % bodies.count]
            for _ in 0..<Int.random(in: 0...3, using: &random) where !body.isEmpty {
                let index = Int.random(in: body.indices, using: &random)
                if Bool.random(using: &random) {
                    body[index] = UInt8.random(in: 0...255, using: &random)
                } else {
                    body.removeSubrange(index..<min(body.count, index + Int.random(in: 0...9, using: &random)))
                }
            }
            guard destination.refusal(of: try event(body)) == nil else { continue }
            sent += 1
            let enriched = try #require(try destination.request(for: event(body)).body)
            let end = try #require(body.lastIndex(of: UInt8(ascii: "}")))
            #expect(enriched.starts(with: body[..<end]))
            #expect(Array(enriched.suffix(body.count - end)) == Array(body[end...]))
            #expect(try Destination(members: [:]).request(for: event(body)).body == body)
        }
        #expect(sent > 100)
    }
}
