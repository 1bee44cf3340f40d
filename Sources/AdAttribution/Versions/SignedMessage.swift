import Encodings
import StrictJSON

/// A field that has a name on Apple's wire.
package protocol WireNamed: Sendable, Hashable {
    /// Apple's name of the field.
    var name: String { get }
}

/// One place in a signed string: which field is there, and whether it may be missing.
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

    /// Whether one of the fields must be there.
    var isRequired: Bool {
        switch self {
        case .required, .either: true
        case .optional, .optionalEither: false
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

/// The exact bytes that a signature covers: values joined by U+2063, INVISIBLE SEPARATOR, with none at either end.
///
/// Integers are in plain decimal, booleans are `true` and `false`. AdAttributionKit signs another kind of bytes, the
/// two parts of a compact JWS. Source: Apple, "Combining parameters for previous SKAdNetwork postback versions".
public struct SignedMessage: Sendable, Hashable {
    /// The UTF-8 bytes that SHA-256 is taken of.
    public private(set) var bytes: [UInt8] = []

    /// The UTF-8 bytes of the separator, U+2063.
    public static let separator: [UInt8] = [0xE2, 0x81, 0xA3]

    /// The values of the places in order.
    ///
    /// An absent value leaves no separator.
    package init(_ values: some Sequence<FieldValue?>) {
        bytes.reserveCapacity(192)
        for case let value? in values { append(value) }
    }

    /// The tokens of the places in order, as they stand in an object that was read.
    init(_ tokens: ArraySlice<JSONToken?>, of object: [UInt8]) {
        bytes.reserveCapacity(192)
        object.withUnsafeBufferPointer { object in
            for case let token? in tokens {
                if !bytes.isEmpty { bytes.append(contentsOf: Self.separator) }
                switch token {
                case .boolean(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
                case .integer(let integer): DecimalText.append(integer, to: &bytes)
                case .string(let range) where range.hasEscapes:
                    bytes.append(contentsOf: JSONEscape.unescape(object, range))
                case .string(let range):
                    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: object[range.start..<range.end]))
                // No row has a value of another kind.
                case .number, .null, .object, .array: break
                }
            }
        }
    }

    /// Bytes that are signed as they are, as a JSON Web Signature signs its text.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func append(_ value: FieldValue) {
        if !bytes.isEmpty { bytes.append(contentsOf: Self.separator) }
        switch value {
        case .boolean(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .integer(let integer): DecimalText.append(integer, to: &bytes)
        case .text(let text), .uuid(_, let text): bytes.append(contentsOf: text.utf8)
        }
    }
}
