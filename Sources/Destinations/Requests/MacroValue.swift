import AdAttribution
import Encodings
import StrictJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The value of a macro for one event.
enum MacroValue: Sendable, Equatable {
    case text(String)
    case integer(Int64)
    case flag(Bool)

    /// The value as text.
    var text: String {
        switch self {
        case .text(let text): text
        case .integer(let integer): String(integer)
        case .flag(let flag): flag ? "true" : "false"
        }
    }

    /// The value as JSON without quotes; nil if it is a text that is no number in JSON, such as `0039`.
    var bareJSON: String? {
        guard case .text(let text) = self else { return self.text }
        return Self.isNumber(text) ? text : nil
    }

    private static func isNumber(_ text: String) -> Bool {
        var numbers = 0
        let array = Array("[\(text)]".utf8)
        let isArray = array.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes, maximumDepth: 1)
            do throws(JSONError) {
                try scanner.scanArrayDocument { (token, range) throws(JSONError) in
                    switch token {
                    // Blanks around it are no part of a number.
                    case .integer, .number: numbers += range.count == bytes.count - 2 ? 1 : 2
                    default: numbers += 2
                    }
                }
                return true
            } catch {
                return false
            }
        }
        return isArray && numbers == 1
    }
}

extension Macro {
    /// The value for an event; nil if the event lacks it.
    func value(of event: ForwardedEvent) -> MacroValue? {
        switch self {
        case .received: .text(Self.text(ofMicroseconds: event.receivedAt))
        case .receivedSeconds: .integer(Self.floor(event.receivedAt, 1_000_000))
        case .receivedMillis: .integer(Self.floor(event.receivedAt, 1_000))
        case .ip: event.sourceAddress.map { .text($0) }
        case .userAgent: event.userAgent.map { .text($0) }
        case .webhookID: .text(event.webhookID)
        case .kind: .text(event.kind.rawValue)
        case .environment: .text(event.environment)
        case .protocolName: .text(event.protocolName)
        case .developerCopy: .flag(event.isDeveloperCopy)
        case .transactionID: .text(event.transactionID.uuidString.lowercased())
        case .sequenceIndex: .integer(Int64(event.sequenceIndex))
        case .version: event.version.map { .text($0) }
        case .adNetworkID: .text(event.adNetworkID)
        case .appID: .integer(event.advertisedAppID)
        case .didWin: .flag(event.didWin)
        case .redownload: event.redownload.map { .flag($0) }
        case .fidelityType: event.fidelityType.map { .integer(Int64($0)) }
        case .sourceAppID: event.sourceAppID.map { .integer($0) }
        case .sourceDomain: event.sourceDomain.map { .text($0) }
        case .country: event.countryCode.map { .text($0) }
        case .campaign: .text(event.campaign)
        case .campaignType: .text(event.campaignType)
        case .skanCampaignID, .sourceIdentifier: campaign(of: event).map { .text($0) }
        case .campaignID, .campaignName, .adsetID, .adsetName, .adID, .adName, .networkName:
            event.names.flatMap(name).map { .text($0) }
        case .conversionValue: event.conversionValue.map { .integer(Int64($0)) }
        case .coarseValue: event.coarseValue.map { .text($0) }
        case .event, .tier, .revenueLow, .revenueHigh, .currency:
            event.meaning.flatMap(part).map { .text($0) }
        case .attributionSignature: event.body.flatMap(Self.signature).map { .text($0) }
        case .rawBase64: event.body.map { .text(Base64.encode($0)) }
        case .rawBase64URL: event.body.map { .text(Base64.encode($0, .urlSafe)) }
        }
    }

    /// The campaign, if it is of the type that the macro names.
    private func campaign(of event: ForwardedEvent) -> String? {
        let type = self == .skanCampaignID ? "campaign-id" : "source-identifier"
        return event.campaignType == type ? event.campaign : nil
    }

    /// Apple's signature in a body; nil if there is none, as in postbacks of AdAttributionKit.
    private static func signature(in body: [UInt8]) -> String? {
        body.withUnsafeBufferPointer { bytes in
            var signature: String?
            var scanner = JSONScanner(bytes, maximumDepth: Postback.maximumDepth)
            do throws(JSONError) {
                try scanner.scanDocument { (key, token) throws(JSONError) in
                    guard case .string(let range) = token,
                        JSONToken.text(bytes, key) == EnvelopeField.attributionSignature.name
                    else { return }
                    signature = JSONToken.text(bytes, range)
                }
            } catch {
                return nil
            }
            return signature
        }
    }

    private func name(in names: EventNames) -> String? {
        switch self {
        case .campaignID: names.campaignID
        case .campaignName: names.campaignName
        case .adsetID: names.adsetID
        case .adsetName: names.adsetName
        case .adID: names.adID
        case .adName: names.adName
        case .networkName: names.networkName
        default: nil
        }
    }

    private func part(of meaning: EventMeaning) -> String? {
        switch self {
        case .event: meaning.event
        case .tier: meaning.tier
        case .revenueLow: meaning.revenueLow
        case .revenueHigh: meaning.revenueHigh
        case .currency: meaning.currency
        default: nil
        }
    }

    /// The time with its milliseconds, which a `Double` of seconds would round.
    private static func text(ofMicroseconds moment: Int64) -> String {
        let milliseconds = floor(moment, 1_000)
        let seconds = floor(milliseconds, 1_000)
        let whole = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(Date.ISO8601FormatStyle())
        // A leading one keeps the zeros.
        let fraction = String(1_000 + milliseconds - seconds * 1_000).dropFirst()
        return "\(whole.dropLast()).\(fraction)Z"
    }

    /// The quotient, rounded downwards also before 1970.
    private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
