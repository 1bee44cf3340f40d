public import PostgresClient

/// What does not fit together in state, bodies and log.
public enum LogProblem: String, Sendable, CaseIterable {
    case missingEvent = "missing_event"
    case doubledEvent = "doubled_event"
    case missingBody = "missing_body"
    case doubledBody = "doubled_body"
    case missingState = "missing_state"
    case doubledState = "doubled_state"
    /// A raise that only the row of state names: it has neither an event nor a body.
    case missingRaise = "missing_raise"
}

/// How often a lane has a problem on a day of writing.
public struct LogProblemCount: Sendable, Equatable {
    /// The number of the lane.
    public let lane: Int16
    /// The UTC day of writing.
    public let day: PostgresDate
    /// What is missing or doubled.
    public let problem: LogProblem
    /// The number of places.
    public let postbacks: Int64
    /// The transaction id of one of them.
    public let example: String
}
