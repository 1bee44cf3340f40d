/// Why the log can't be read.
public enum LogError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A row holds a value that this version does not know; somebody else has written it.
    case unknownValue(column: String)

    /// What is wrong.
    public var description: String {
        switch self {
        case .unknownValue(let column): "the log holds a value that this version does not know, in column \(column)"
        }
    }
}
