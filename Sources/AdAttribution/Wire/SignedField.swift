/// One place in a signed string: which field stands there, and whether it may be missing.
package enum SignedField: Sendable, Hashable {
    /// The field is always there.
    case required(WireField)
    /// The field is signed where the body has it; where it is absent, its separator goes too. 0 is present.
    case optional(WireField)
    /// Exactly one of the two fields is there.
    case either(WireField, WireField)
    /// At most one of the two fields is there.
    case optionalEither(WireField, WireField)

    /// The fields that may stand in this place.
    package var candidates: [WireField] {
        switch self {
        case .required(let field), .optional(let field): [field]
        case .either(let first, let second), .optionalEither(let first, let second): [first, second]
        }
    }
}
