import AdAttribution
import Encodings
import StrictJSON

extension SimulatedPostback {
    /// A member of a body: its name, and its value as JSON.
    typealias Member = (name: String, json: String)

    /// The members of the body that a device would send, signed.
    func members(_ value: ReportedConversionValue, _ signers: SimulationSigners) throws(KeyError) -> [Member] {
        switch traits.kind {
        case .skAdNetwork:
            let values = layout.signedFields.map { self.value(of: $0) }
            let signature = try signers.signature(of: SignedMessage(values).bytes, on: layout.curve)
            // Signed from 2.0 on, and sent by some devices before.
            let version: [Member] = !layout.signs(.version) && namesVersion ? [("version", "\"1.0\"")] : []
            let proof: Member = (EnvelopeField.attributionSignature.name, JSONText.quoted(Base64.encode(signature)))
            return version + members(layout.signedFields) + [proof] + Self.members(value) + unsigned
        case .adAttributionKit:
            var payload = JSONObjectText()
            for (name, json) in members(layout.signedFields) { payload.append(name, json: json.utf8) }
            let jws = try CompactJWS.sign(payload.finished(), keyID: signers.name) { (text) throws(KeyError) in
                try signers.signature(of: text, on: layout.curve)
            }
            return [(EnvelopeField.jwsString.name, JSONText.quoted(jws))] + Self.members(value) + unsigned
        }
    }

    private var unsigned: [Member] { members(layout.fields[layout.signedCount...]) }

    private func members(_ fields: ArraySlice<PostbackField>) -> [Member] {
        fields.compactMap { field in value(of: field).map { (field.name, $0.json) } }
    }

    private static func members(_ value: ReportedConversionValue) -> [Member] {
        switch value {
        case .none: []
        case .fine(let fine): [(EnvelopeField.conversionValue.name, String(fine.value))]
        case .coarse(let coarse): [(EnvelopeField.coarseConversionValue.name, JSONText.quoted(coarse.rawValue))]
        }
    }
}

extension FieldValue {
    /// The value as JSON carries it.
    var json: String {
        switch self {
        case .boolean(let flag): String(flag)
        case .integer(let integer): String(integer)
        case .text(let text), .uuid(_, let text): JSONText.quoted(text)
        }
    }
}
