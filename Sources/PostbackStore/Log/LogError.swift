/// Why the log can't be read.
public enum LogError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A row has a value that this build does not know, so another program has written it.
    case unknownValue(column: String)

    /// What is wrong.
    public var description: String {
        switch self {
        case .unknownValue(let column): "the log has a value that this build does not know, in column \(column)"
        }
    }
}
