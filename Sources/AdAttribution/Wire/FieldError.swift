import Encodings

/// A field that broke a rule, in an impression, an option or a key ring.
public struct FieldError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The field under its wire name.
    public let field: String
    /// What the field must be, to complete "must be …", or another whole clause about it.
    public let rule: String
    /// The value as given, cut to 80 bytes; nil if it is missing or not fit to show.
    public let value: String?

    /// Takes a field, its rule and the wrong value.
    public init(field: String, rule: String, value: String? = nil) {
        self.field = field
        self.rule = rule
        // It must be one line, because terminals and logs show it.
        self.value = value.map {
            String(String.UnicodeScalarView($0.prefix(bytes: 80).unicodeScalars.map(Self.visible)))
        }
    }

    private static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        scalar.properties.generalCategory == .control || scalar.properties.isPatternWhitespace ? " " : scalar
    }

    package init(_ field: some WireFieldName, _ rule: String, value: String? = nil) {
        self.init(field: field.rawValue, rule: rule, value: value)
    }

    /// Field, rule and value in one line.
    public var description: String {
        guard let value else { return "\(field): \(rule)" }
        return "\(field): \(rule), not \(value)"
    }
}

/// Why a text is not an impression that can be signed or verified.
public enum ImpressionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A field is missing, out of range, of the wrong type, or not one of its version.
    case field(FieldError)
    /// The bytes are not a JSON object.
    case json(byteOffset: Int, rule: String)

    /// The wire name of the wrong field; `json` if there is none.
    public var field: String {
        switch self {
        case .field(let error): error.field
        case .json: "json"
        }
    }

    /// The rule that was broken.
    public var rule: String {
        switch self {
        case .field(let error): error.rule
        case .json(let offset, let rule): "byte \(offset): \(rule)"
        }
    }

    /// Field, rule and value in one line.
    public var description: String {
        switch self {
        case .field(let error): error.description
        case .json: "\(field): \(rule)"
        }
    }
}
