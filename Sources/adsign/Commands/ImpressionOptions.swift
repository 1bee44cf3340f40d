import AdAttribution
import ArgumentParser
import Foundation

/// The fields of an impression as options under Apple's names, read by the same rules as those of a JSON object.
///
/// A value may begin with a dash, so that -1 is out of range and not an option that nobody knows.
struct ImpressionOptions: ParsableArguments {
    @Option(name: .long, parsing: .unconditional, help: "The network, in lower case: 1 to 64 of a-z 0-9 . -")
    var adNetworkID: String?

    @Option(name: .long, parsing: .unconditional, help: "The campaign up to 3.0: 1 to 100.")
    var campaignID: String?

    @Option(name: .long, parsing: .unconditional, help: "The campaign from 4.0 on: 0 to 9999; four digits are best.")
    var sourceIdentifier: String?

    @Option(name: .long, parsing: .unconditional, help: "The advertised app.")
    var itunesItemID: String?

    @Option(name: .long, parsing: .unconditional, help: "The app that shows the ad; 0 for a development build.")
    var sourceAppID: String?

    @Option(name: .long, parsing: .unconditional, help: "The domain of a web ad (4.0), instead of --source-app-id.")
    var sourceDomain: String?

    @Option(name: .long, parsing: .unconditional, help: "A UUID; a random one where it is left out.")
    var nonce: String?

    @Option(name: .long, parsing: .unconditional, help: "Milliseconds since 1970, 13 digits; now where it is left out.")
    var timestamp: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: "0 view-through, 1 StoreKit-rendered; from 2.2 on, and 1 by itself for a web ad.")
    var fidelityType: String?

    @Option(name: .long, parsing: .unconditional, help: "The version of SKAdNetwork; 4.0 where it is left out.")
    var version: String?

    @Option(
        name: .customLong("eligible-for-re-engagement"), parsing: .unconditional,
        help: "true or false; for --format jws only, and left out of the payload where it is left out here.")
    var eligibleForReengagement: String?

    /// The fields that were given.
    ///
    /// - Throws: `FieldError` with the first wrong one.
    func parameters() throws(FieldError) -> ImpressionParameters {
        var parameters = ImpressionParameters()
        let options: [(WireField, String?)] = [
            (.version, version), (.adNetworkID, adNetworkID), (.campaignID, campaignID),
            (.sourceIdentifier, sourceIdentifier), (.itunesItemID, itunesItemID), (.nonce, nonce),
            (.sourceAppID, sourceAppID), (.sourceDomain, sourceDomain), (.fidelityType, fidelityType),
            (.timestamp, timestamp), (.eligibleForReengagement, eligibleForReengagement),
        ]
        for case (let field, let text?) in options {
            try parameters.set(field, to: text)
        }
        return parameters
    }
}

extension ImpressionParameters {
    /// Fills what is missing with the values of the options.
    ///
    /// Of two fields that stand for each other, the one that is there keeps the other's default out.
    mutating func fill(from defaults: ImpressionParameters) {
        version = version ?? defaults.version
        adNetworkID = adNetworkID ?? defaults.adNetworkID
        if campaignID == nil, sourceIdentifier == nil {
            campaignID = defaults.campaignID
            sourceIdentifier = defaults.sourceIdentifier
        }
        itunesItemID = itunesItemID ?? defaults.itunesItemID
        nonce = nonce ?? defaults.nonce
        if sourceAppID == nil, sourceDomain == nil {
            sourceAppID = defaults.sourceAppID
            sourceDomain = defaults.sourceDomain
        }
        fidelityType = fidelityType ?? defaults.fidelityType
        timestamp = timestamp ?? defaults.timestamp
        eligibleForReengagement = eligibleForReengagement ?? defaults.eligibleForReengagement
    }
}

extension ImpressionRequest {
    /// What is signed here and now: a missing timestamp is the time of day, a missing nonce a random one.
    init(_ parameters: ImpressionParameters, format: ImpressionFormat) throws(FieldError) {
        guard let now = MillisecondTimestamp(Int64(Date().timeIntervalSince1970 * 1_000)) else {
            throw FieldError(field: "timestamp", rule: "is missing, and the clock is wrong")
        }
        try self.init(parameters, format: format, now: now) { Nonce(UUID()) }
    }
}
