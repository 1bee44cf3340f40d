import StrictJSON

/// The object `ext.skadn` of an OpenRTB bid response: one ad, signed once for each fidelity type.
///
/// Ids, campaigns and timestamps are strings, and only `fidelity` is an integer. Up to 2.1 nonce, timestamp and
/// signature are at the top level, from 2.2 on inside `fidelities`. Source: IAB Tech Lab, OpenRTB community extension
/// "SKAdNetwork".
enum OpenRTBSKAdNetwork {
    /// The versions that the extension supports.
    static let versions: ClosedRange<SKAdNetworkVersion> = .v2_0 ... .v4_0

    /// Checks that the extension can express an impression.
    static func check(_ impression: Impression) throws(FieldError) {
        guard versions.contains(impression.version) else {
            throw FieldError(
                field: ImpressionField.version.name,
                rule: "must be from \(versions.lowerBound) to \(versions.upperBound) for OpenRTB",
                value: impression.version.description)
        }
        guard impression.source?.domain == nil else {
            throw FieldError(
                field: ImpressionField.sourceDomain.name, rule: "has no place in OpenRTB, whose ads are shown in apps")
        }
    }

    /// The object for impressions that differ in fidelity, nonce and timestamp only.
    static func json(_ first: SignedImpression, _ others: [SignedImpression]) -> [UInt8] {
        let impression = first.impression
        var object = JSONObjectText()
        object.append("version", impression.version.description)
        object.append("network", impression.adNetworkID.text)
        switch impression.campaign {
        case .campaignID(let id): object.append("campaign", String(id.value))
        case .sourceIdentifier(let identifier): object.append("sourceidentifier", identifier.text)
        }
        object.append("itunesitem", String(impression.itunesItemID.value))
        impression.source?.appID.map { object.append("sourceapp", String($0.value)) }
        if impression.layout.signs(.fidelityType) {
            let fidelities = ([first] + others).map { one in
                var fidelity = JSONObjectText()
                one.impression.fidelityType.map { fidelity.append("fidelity", $0.rawValue) }
                one.appendProof(to: &fidelity)
                return fidelity.finished()
            }
            let elements = Array(fidelities.joined(separator: ",".utf8))
            object.append("fidelities", json: Array("[".utf8) + elements + Array("]".utf8))
        } else {
            first.appendProof(to: &object)
        }
        return object.finished()
    }
}

extension SignedImpression {
    fileprivate func appendProof(to object: inout JSONObjectText) {
        object.append("nonce", impression.nonce.text)
        object.append("timestamp", String(impression.timestamp.milliseconds))
        object.append("signature", base64: signature)
    }
}
