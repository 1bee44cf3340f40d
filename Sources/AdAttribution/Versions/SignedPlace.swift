/// A field that has a name on Apple's wire.
package protocol WireNamed: Sendable, Hashable {
    /// Apple's name of the field.
    var name: String { get }
}

/// One place in a signed message: which field stands there, and whether it may be missing.
///
/// A field that is missing leaves no separator. The number 0 is not missing.
package enum SignedPlace<Field: WireNamed>: Sendable {
    /// The field is always there.
    case required(Field)
    /// The field may be missing.
    case optional(Field)
    /// Exactly one of the two fields is there.
    case either(Field, Field)
    /// At most one of the two fields is there.
    case optionalEither(Field, Field)

    /// The fields that may stand in this place.
    package var fields: [Field] {
        switch self {
        case .required(let field), .optional(let field): [field]
        case .either(let first, let second), .optionalEither(let first, let second): [first, second]
        }
    }

    /// Checks which of the fields are there.
    ///
    /// - Throws: `FieldError` with the field that is missing, or that must not be there.
    func check(_ isPresent: (Field) -> Bool) throws(FieldError) {
        switch self {
        case .required(let field):
            guard isPresent(field) else { throw FieldError(field: field.name, rule: "is missing") }
        case .optional: break
        case .either(let first, let second), .optionalEither(let first, let second):
            switch (isPresent(first), isPresent(second)) {
            case (true, true):
                throw FieldError(field: second.name, rule: "must not stand beside \(first.name)")
            case (false, false):
                guard case .either = self else { return }
                throw FieldError(field: first.name, rule: "or \(second.name) is missing")
            default: break
            }
        }
    }
}
