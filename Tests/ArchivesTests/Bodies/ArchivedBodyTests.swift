import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import Archives

@Suite("Lines of an archive of bodies")
struct ArchivedBodyTests {
    private func body(
        _ payload: [UInt8], userAgent: String? = "Phone/1 \"\\ \u{85}ü", position: Int64 = 42_000_000_000_007
    ) -> ArchivedBody {
        ArchivedBody(
            lane: 3, position: position, ordinal: 12, transactionID: UUID(),
            receivedAt: PostgresTimestamp(microsecondsSince2000: 845_000_000_123_456),
            sourceAddress: "2001:db8::17", userAgent: userAgent, payload: payload)
    }

    /// A postback's body in several forms that mean the same.
    static let forms: [(String, [UInt8])] = {
        guard
            let text = (try? TestKeys()).flatMap({ try? TestPostback().body($0.postbackKey) }).map({
                String(decoding: $0, as: UTF8.self)
            })
        else { return [] }
        let inner = text.dropFirst().dropLast()
        return [
            ("as it is", text), ("with spaces", "{ " + inner + " }  "), ("behind a space", " \t" + text),
            ("on many lines", "\n{\r\n" + inner.replacing(",", with: ",\n  ") + "\n}\n"),
            ("with a time", "{\"received-at\":1790000000000,\(inner)}"),
            ("with a time at its end", "{\(inner),\"received-at\" : \"2026-11-21T07:12:00Z\"}"),
            ("imported from an archive", "{\"archived\":{\"lane\":1,\"payload\":\"x\"},\(inner)}"),
            ("with an escaped name", "{\(inner),\"arch\\u0069ved\":{\"lane\":1} }"),
            ("with a nested object", "{\(inner),\"x\":{\n\"archived\":[1,\n2]}}"),
            ("with other letters", "{\(inner),\"x\":\"üß€😀\\u0000\\n\"}"),
        ].map { ($0, Array($1.utf8)) }
    }()

    @Test("A body comes back byte for byte with its place, whatever its form, from one line", arguments: forms)
    func roundTrip(_ form: (name: String, payload: [UInt8])) throws {
        for stored in [body(form.payload), body(form.payload, userAgent: nil).withoutOrigin] {
            let line = stored.line
            #expect(!line.contains(UInt8(ascii: "\n")) && !line.contains(UInt8(ascii: "\r")))
            #expect(try ArchivedBody(line: line) == stored)
        }
    }

    @Test("Each line is one that import takes, with the same postback and its time of receipt", arguments: forms)
    func importable(_ form: (name: String, payload: [UInt8])) throws {
        let stored = body(form.payload)
        let archived = try ArchivedPostback(parsing: stored.line)
        let plain = try ArchivedPostback(parsing: form.payload)
        #expect(archived.postback.transactionID == plain.postback.transactionID)
        #expect(archived.postback.signature == plain.postback.signature)
        #expect(archived.postback.conversionValue == plain.postback.conversionValue)
        let time = plain.receivedAt?.milliseconds ?? stored.receivedAt.millisecondsSince1970
        #expect(archived.receivedAt?.milliseconds == time)
    }

    @Test("What is no JSON comes back too")
    func anything() throws {
        for text in ["", "x", "{", "[1,2]", "{}", "{\"a\":1}x", "{\"a\":1,\"a\":2}"] {
            let stored = body(Array(text.utf8))
            #expect(try ArchivedBody(line: stored.line) == stored)
        }
    }

    @Test(
        "A line whose place is on no day that can have a partition is refused",
        arguments: [.min, -1, .max, 2_921_940 << 32])
    func impossibleDay(position: Int64) throws {
        #expect(throws: ArchivedBodyError.self) {
            try ArchivedBody(line: body(Array("{}".utf8), position: position).line)
        }
        let last = body(Array("{}".utf8), position: 2_921_940 << 32 - 1)
        #expect(try ArchivedBody(line: last.line).day.description == "9999-12-31")
    }

    @Test("A line with another byte in its body, or without its place, is refused")
    func changed() throws {
        let payload = try #require(Self.forms.first?.1)
        let line = body(payload).line
        #expect(throws: ArchivedBodyError.self) { try ArchivedBody(line: payload) }
        #expect(throws: ArchivedBodyError.self) { try ArchivedBody(line: []) }
        for end in stride(from: 0, to: line.count, by: 7) {
            #expect(throws: ArchivedBodyError.self) { try ArchivedBody(line: Array(line[..<end])) }
        }
        for place in (line.count - payload.count + 1)..<line.count {
            var changed = line
            changed[place] ^= 1
            #expect(throws: ArchivedBodyError.self, "byte \(place)") { try ArchivedBody(line: changed) }
        }
    }
}
