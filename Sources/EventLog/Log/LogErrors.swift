/// Why the log can't be read.
package enum LogError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A row has a value that this build does not know, so another program has written it.
    case unknownValue(column: String)
    /// Events behind the cursor were dropped, so its reader would miss them.
    case cursorExpired
    /// There is no event at the cursor: it is of another database, or of a later state of this one.
    case cursorUnknown

    /// What is wrong.
    package var description: String {
        switch self {
        case .unknownValue(let column): "the log has a value that this build does not know, in column \(column)"
        case .cursorExpired: "the log was dropped beyond the cursor, so events would be missed"
        case .cursorUnknown:
            "the cursor is of another database, or this database was put back to a state before the cursor"
        }
    }
}

/// Why a named reader of the log can't be used.
package enum LogReaderError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A reader with this name exists.
    case exists
    /// No reader with this name exists.
    case unknown
    /// Somebody else has moved the reader.
    case moved
    /// The new place is before the old one in some lane, or in a lane that the database does not have.
    case impossibleMove

    /// What is wrong.
    package var description: String {
        switch self {
        case .exists: "a reader with this name exists"
        case .unknown: "no reader with this name exists"
        case .moved: "somebody else has moved the reader"
        case .impossibleMove: "a reader can't move back, and not in a lane that the database does not have"
        }
    }
}
