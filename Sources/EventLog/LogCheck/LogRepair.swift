/// What a repair of the log found and did.
package struct LogRepair: Sendable {
    /// An event that is missing in the log.
    struct Event {
        let lane: Int16
        let place: LogPlace
        let line: Int32?
        /// Whether state and bodies say what it was.
        let isKnown: Bool
        /// The row of the log as JSON.
        let json: String
    }

    /// The events that state and bodies name and the log lacks.
    package internal(set) var missing = 0
    /// Those of them that were written again.
    package internal(set) var written = 0
    /// Those of them that can't be made again: raises whose body does not say which postback it was.
    package internal(set) var unknown = 0
    /// Named readers that have passed places of missing events, with the number of these.
    ///
    /// They do not read these events any more.
    package internal(set) var passed: [String: Int] = [:]
    /// The places that still do not fit together, also those that lack something else than an event.
    package internal(set) var left: Int64 = 0
}
