package import PostgresClient

/// What does not fit together in state, bodies and log.
package enum LogProblem: String, Sendable, CaseIterable {
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
package struct LogProblemCount: Sendable, Equatable {
    /// The number of the lane.
    package let lane: Int16
    /// The UTC day of writing.
    package let day: PostgresDate
    /// What is missing or doubled.
    package let problem: LogProblem
    /// The number of places.
    package let postbacks: Int64
    /// The transaction id of one of them.
    package let example: String
}
