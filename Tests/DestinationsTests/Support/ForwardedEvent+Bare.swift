import Destinations
import Foundation
import Testing

extension ForwardedEvent {
    /// An event that has only what each event has.
    static func bare(
        body: [UInt8]? = nil, kind: Kind = .accepted, userAgent: String? = nil, campaign: String = "0039",
        names: EventNames? = nil
    ) throws -> ForwardedEvent {
        ForwardedEvent(
            id: "3-7-0", kind: kind,
            transactionID: try #require(UUID(uuidString: "6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28")),
            environment: "production", protocolName: "adattributionkit", adNetworkID: "example123.adattributionkit",
            isDeveloperCopy: true, campaignType: "source-identifier", campaign: campaign, advertisedAppID: 525_463_029,
            sequenceIndex: 2, didWin: false, receivedAt: 1_710_439_480_007_999, body: body, userAgent: userAgent,
            names: names)
    }
}

extension Destination {
    /// The body of the request about an event, as text.
    func bodyText(for event: ForwardedEvent) throws -> String {
        String(decoding: try #require(try request(for: event).body), as: UTF8.self)
    }

    /// Why there is no request about an event; nil if there is one.
    func refusal(of event: ForwardedEvent) -> String? {
        do throws(UnsendableEvent) {
            _ = try request(for: event)
            return nil
        } catch {
            return error.reason
        }
    }
}

extension SecretName {
    /// The name that a text is.
    static func of(_ text: String) throws -> SecretName { try #require(SecretName(text)) }
}

extension [SecretName: Secret] {
    /// The secrets of files with these names and texts.
    static func files(_ texts: KeyValuePairs<String, String>) throws -> [SecretName: Secret] {
        var secrets: [SecretName: Secret] = [:]
        for (name, text) in texts {
            let secret = try #require(Secret(file: Array(text.utf8)))
            secrets[try .of(name)] = secret
        }
        return secrets
    }
}
