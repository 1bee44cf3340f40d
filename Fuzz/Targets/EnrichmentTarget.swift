import AdAttribution
import Destinations
import Foundation

/// A body into which members are inserted.
///
/// The first byte chooses the members; the rest is the body.
package struct EnrichmentTarget: FuzzTarget {
    package static let name = "enrichment"

    /// The member `add` of a destination, and the names in it.
    private static let additions: [(add: String, names: [String])] = [
        (
            #"{"partner-campaign-id":"{campaign-id}","timestamp":{"number":"{received-seconds}"}}"#,
            ["partner-campaign-id", "timestamp"]
        ),
        (#"{"a":["{campaign-name}",{"b":null}]}"#, ["a"]),
        (#"{"":"{ip}","\"\\ü":1.50}"#, ["", "\"\\ü"]),
    ]

    private let destinations: [Destination]
    private let transactionID = UUID()

    package init() throws {
        destinations = try Self.additions.map { addition in
            let document =
                #"{"name":"a","url":"https://receiver.example/","body":"enriched","add":"# + addition.add + "}"
            return try Destination(document: Array(document.utf8))
        }
    }

    package func check(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let choice = Int(reader.byte()) % destinations.count
        let body = reader.remainder()
        let names = Self.additions[choice].names
        let postback = try? Postback(parsing: body)
        let request: PreparedRequest
        do throws(UnsendableEvent) {
            request = try destinations[choice].request(for: event(body))
        } catch {
            try Readable.check(error.reason, limit: 400)
            // A postback is refused only if it has one of the members.
            guard postback != nil else { return }
            let other = try OtherParser(body)
            return try expect(names.contains { other.object[$0] != nil }, "a postback is refused: \(error.reason)")
        }
        guard let enriched = request.body else { throw Finding("an enriched request without a body") }
        try check(enriched, from: body, names)
        guard let postback, enriched.count <= Postback.maximumBodySize else { return }
        let after = try Postback(parsing: enriched)
        try expect(after.signedMessage.bytes == postback.signedMessage.bytes, "another signed message")
        try expect(after.signature == postback.signature, "another signature")
        try expect(after.conversionValue == postback.conversionValue, "another conversion value")
    }

    /// All bytes of the body are there, and Foundation reads its members and the new ones.
    private func check(_ enriched: [UInt8], from body: [UInt8], _ names: [String]) throws {
        guard let end = body.lastIndex(of: UInt8(ascii: "}")) else { throw Finding("a body without a brace") }
        try expect(enriched.starts(with: body[..<end]), "another beginning")
        try expect(enriched.suffix(body.count - end).elementsEqual(body[end...]), "another end")
        let (before, after) = (try OtherParser(body).object, try OtherParser(enriched).object)
        try expect(names.allSatisfy { before[$0] == nil && after[$0] != nil }, "a member that is not new")
        let kept = after.filter { name, _ in !names.contains(name) }
        try expect(Self.text(of: kept) == Self.text(of: before), "another member of the body")
    }

    /// Members in the order of their names, so that they can be compared.
    private static func text(of object: [String: Any]) throws -> Data {
        try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
    }

    private func event(_ body: [UInt8]) -> ForwardedEvent {
        ForwardedEvent(
            id: "0-1-2", kind: .accepted, transactionID: transactionID, environment: "production",
            protocolName: "skadnetwork", adNetworkID: "com.example", isDeveloperCopy: false,
            campaignType: "campaign-id", campaign: "42", advertisedAppID: 525_463_029, sequenceIndex: 0, didWin: true,
            receivedAt: 1_710_439_480_123_456, body: body, names: EventNames(campaignID: "c\"}", campaignName: "{ü\n"))
    }
}
