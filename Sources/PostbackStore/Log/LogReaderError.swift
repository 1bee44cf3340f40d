/// Why a named reader of the log can't be used.
public enum LogReaderError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is a reader of this name.
    case exists
    /// There is no reader of this name.
    case unknown
    /// Somebody else has moved the reader.
    case moved
    /// The new place is before the old one in some lane, or in a lane that the database does not have.
    case impossibleMove

    /// What is wrong.
    public var description: String {
        switch self {
        case .exists: "there is a reader of this name"
        case .unknown: "there is no reader of this name"
        case .moved: "somebody else has moved the reader"
        case .impossibleMove: "the reader can't be moved back, or in a lane that the database does not have"
        }
    }
}
