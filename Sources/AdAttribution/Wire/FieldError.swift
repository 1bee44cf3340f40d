/// A field that broke a rule, outside a postback: in an impression, an option or a key ring.
public struct FieldError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The field under its wire name.
    public let field: String
    /// What the field must be, to complete "must be …", or another whole clause about it.
    public let rule: String
    /// The value as given, cut to a length fit for a terminal; nil where it is missing or not fit to show.
    public let value: String?

    /// A field, its rule and the value that broke it.
    public init(field: String, rule: String, value: String? = nil) {
        self.field = field
        self.rule = rule
        // One line, whatever it was: it is shown on a terminal and in logs.
        self.value = value.map { String(String.UnicodeScalarView($0.prefix(80).unicodeScalars.map(Self.visible))) }
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
