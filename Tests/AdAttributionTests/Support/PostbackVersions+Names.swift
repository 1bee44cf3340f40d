@testable import AdAttribution

extension PostbackVersions {
    /// The name of every field that a postback of either framework may have.
    var allNames: [String] {
        EnvelopeField.allCases.map(\.name) + (bodyFields.fields + payloadFields.fields).compactMap { $0?.name }
    }
}

extension ImpressionField {
    /// The name of every field that the JSON of an impression of either framework may have.
    static var allNames: [String] {
        allCases.map(\.rawValue) + ImpressionProof.allCases.map(\.rawValue)
            + ImpressionVersions.adAttributionKit.map(\.name) + ["impression-type"]
    }
}
