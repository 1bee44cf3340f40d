/// Why input is not an impression that can be signed or verified.
public enum ImpressionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A field is missing, out of range, of the wrong type, or not one of its version.
    case field(FieldError)
    /// The bytes are not a JSON object.
    case json(byteOffset: Int, rule: String)

    /// The field at fault under its wire name; `json` where there is none.
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
