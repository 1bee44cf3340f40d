import AdAttribution
import ArgumentParser
import Foundation

/// The fields of an impression as options with Apple's names.
///
/// They are read by the same rules as the members of JSON.
struct ImpressionOptions: ParsableArguments {
    @Option(name: .long, help: "The network, in lower case: 1 to 64 of a-z 0-9 . -")
    var adNetworkID: String?

    @Option(name: .long, help: "The campaign up to 3.0: 1 to 100.")
    var campaignID: String?

    @Option(name: .long, help: "The campaign from 4.0 on: 0 to 9999; use four digits.")
    var sourceIdentifier: String?

    @Option(name: .long, help: "The advertised app.")
    var itunesItemID: String?

    @Option(name: .long, help: "The app that shows the ad; 0 for a development build.")
    var sourceAppID: String?

    @Option(name: .long, help: "The domain of a web ad (4.0), instead of --source-app-id.")
    var sourceDomain: String?

    @Option(name: .long, help: "A UUID; a random one by default.")
    var nonce: String?

    @Option(name: .long, help: "Milliseconds since 1970, 13 digits; now by default.")
    var timestamp: String?

    @Option(
        name: .long,
        help: "0 view-through, 1 StoreKit-rendered; from 2.2 on. It is always 1 for a web ad.")
    var fidelityType: String?

    @Option(name: .long, help: "The version of SKAdNetwork; 4.0 by default.")
    var version: String?

    @Option(
        name: .customLong("eligible-for-re-engagement"),
        help: "true or false, for --format jws only. Without it the payload does not have the field.")
    var eligibleForReengagement: String?

    @Option(
        name: .long,
        help: "A campaign's token in App Analytics, for --format storekit only; not signed.")
    var campaignToken: String?

    @Option(
        name: .long,
        help: "The provider token of the advertised app's developer, for --format storekit only; not signed.")
    var providerToken: String?

    private var given: [(ImpressionField, String?)] {
        [
            (.version, version), (.adNetworkID, adNetworkID), (.campaignID, campaignID),
            (.sourceIdentifier, sourceIdentifier), (.itunesItemID, itunesItemID), (.nonce, nonce),
            (.sourceAppID, sourceAppID), (.sourceDomain, sourceDomain), (.fidelityType, fidelityType),
            (.timestamp, timestamp), (.eligibleForReengagement, eligibleForReengagement),
            (.campaignToken, campaignToken), (.providerToken, providerToken),
        ]
    }

    /// Checks that no option has another option as its value: networks and tokens may consist of such letters.
    func validate() throws {
        for case (let field, let text?) in given where text.hasPrefix("--") {
            throw ValidationError("--\(field.rawValue): its value must not begin with --, as options do.")
        }
    }

    /// The fields that were given.
    ///
    /// - Throws: `FieldError` for the first wrong one.
    func parameters() throws(FieldError) -> ImpressionParameters {
        var parameters = ImpressionParameters()
        for case (let field, let text?) in given {
            try parameters.set(field, to: text)
        }
        return parameters
    }
}

extension ImpressionParameters {
    /// Takes missing fields from the options.
    ///
    /// Some fields exclude each other. If one of them is set, the other one is not taken.
    mutating func fill(from defaults: ImpressionParameters) {
        let takesCampaign = !has(.campaignID) && !has(.sourceIdentifier)
        let takesSource = !has(.sourceAppID) && !has(.sourceDomain)
        for field in ImpressionParameters.fields {
            switch field {
            case .campaignID, .sourceIdentifier: if takesCampaign { fill(field, from: defaults) }
            case .sourceAppID, .sourceDomain: if takesSource { fill(field, from: defaults) }
            default: fill(field, from: defaults)
            }
        }
    }
}

extension ImpressionRequest {
    /// Makes a request.
    ///
    /// If the timestamp is missing, it is now; if the nonce is missing, it is a random one.
    init(_ parameters: ImpressionParameters, format: ImpressionFormat) throws(FieldError) {
        guard let now = MillisecondTimestamp(Int64(Date().timeIntervalSince1970 * 1_000)) else {
            throw FieldError(field: "timestamp", rule: "is missing, and the machine's clock is out of range")
        }
        try self.init(parameters, format: format, now: now) { Nonce(UUID()) }
    }
}
