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

/// Why a named reader of the log can't be used.
public enum LogReaderError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A reader with this name exists.
    case exists
    /// No reader with this name exists.
    case unknown
    /// Somebody else has moved the reader.
    case moved
    /// The new place is before the old one in some lane, or in a lane that the database does not have.
    case impossibleMove

    /// What is wrong.
    public var description: String {
        switch self {
        case .exists: "a reader with this name exists"
        case .unknown: "no reader with this name exists"
        case .moved: "somebody else has moved the reader"
        case .impossibleMove: "a reader can't move back, and not in a lane that the database does not have"
        }
    }
}
