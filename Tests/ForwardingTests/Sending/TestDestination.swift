import Destinations
import Foundation
import Testing

@testable import Forwarding

/// Destinations and events of tests.
enum TestDestination {
    /// A destination at a URL, with further members of its file.
    ///
    /// Its requests have all the time that a file can give, unless a member says what its limits are.
    static func at(_ url: String, name: String = "receiver", _ members: String...) throws -> Destination {
        let required = [#""name": "\#(name)""#, #""url": "\#(url)""#]
        let defaults = [
            (#""method""#, #""POST""#), (#""body""#, #""raw""#), (#""allow-http""#, "true"),
            (#""limits""#, #"{"timeout-seconds": 60}"#),
        ]
        .filter { key, _ in !members.contains { $0.hasPrefix(key) } }.map { "\($0): \($1)" }
        let document = "{" + (required + defaults + members.filter { !$0.isEmpty }).joined(separator: ", ") + "}"
        return try Destination(document: Array(document.utf8))
    }

    /// An event with a body of its own.
    static func event(
        _ number: Int = 1, transaction: UUID = UUID(), environment: String = "production", sequenceIndex: Int = 0
    ) -> ForwardedEvent {
        ForwardedEvent(
            id: "0-\(number)-1", kind: .accepted, transactionID: transaction, environment: environment,
            protocolName: "skadnetwork", adNetworkID: "example123.skadnetwork", isDeveloperCopy: false,
            campaignType: "source-identifier", campaign: "5239", advertisedAppID: 525_463_029,
            sequenceIndex: sequenceIndex, didWin: true, receivedAt: 1_790_000_000_000_000,
            body: Array(#"{"number":\#(number)}"#.utf8))
    }

    /// The row of an event whose first attempt failed.
    static func waiting(
        _ number: Int, url: String = "http://receiver.example/", headers: [HeaderField] = [], isReplay: Bool = false,
        isOfEarlierFile: Bool = false
    ) throws -> WaitingDelivery {
        let event = event(number)
        return WaitingDelivery(
            key: try #require(DeliveryKey(event)), transactionID: event.transactionID, kind: event.kind,
            receivedAt: event.receivedAt, attempt: 1,
            request: PreparedRequest(
                method: .post, url: url, headers: headers, body: event.body, webhookID: event.webhookID, signing: []),
            isReplay: isReplay, isOfEarlierFile: isOfEarlierFile)
    }

    /// The request for an event, without secrets.
    static func request(_ destination: Destination, _ event: ForwardedEvent = event()) throws -> SignedRequest {
        try destination.request(for: event).signed(with: [:], at: 1_790_000_000)
    }
}
