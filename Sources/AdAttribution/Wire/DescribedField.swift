/// A field of a wire format as a description of the API names it.
package struct DescribedField: Sendable, Hashable {
    /// Apple's name of the field.
    package let name: String
    /// The JSON type.
    package let type: FieldKind.JSONType
    /// What the value must be, to complete "must be …".
    package let rule: String

    init(_ name: String, _ kind: FieldKind) {
        self.name = name
        rule = kind.rule
        type = kind.jsonType
    }

    init(_ name: String, _ type: FieldKind.JSONType, rule: String) {
        self.name = name
        self.type = type
        self.rule = rule
    }
}

extension ImpressionField {
    /// The field of a request to sign.
    package var described: DescribedField { DescribedField(rawValue, kind) }
}

extension PostbackVersions {
    /// The fields of a body: those of all versions of SKAdNetwork, and those beside the JWS of AdAttributionKit.
    package var described: [DescribedField] {
        let envelope = EnvelopeField.allCases.map { field in
            switch field {
            case .attributionSignature: DescribedField(field.name, .string, rule: "a signature in base64")
            case .jwsString: DescribedField(field.name, .string, rule: "a compact JWS (RFC 7515)")
            case .conversionValue: DescribedField(field.name, .integer, rule: ConversionValue.rule)
            case .coarseConversionValue: DescribedField(field.name, .string, rule: CoarseConversionValue.rule)
            }
        }
        return envelope + bodyFields.fields.compactMap { $0 }.map { DescribedField($0.name, $0.kind) }
    }
}
