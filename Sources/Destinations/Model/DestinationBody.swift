/// The method of a destination's requests.
package enum DestinationMethod: String, Sendable, CaseIterable {
    /// Without a body.
    case get = "GET"
    /// With a body, or without one.
    case post = "POST"
    /// With a body, or without one.
    case put = "PUT"
}

/// What a destination's requests carry.
package enum DestinationBody: Sendable, Equatable {
    /// The stored body, byte for byte.
    case raw
    /// The stored body, byte for byte, with members inserted before its last brace; at least one.
    case enriched([AddedMember])
    /// JSON of the destination's own.
    case template(JSONTemplate)
    /// Nothing.
    case none
}

/// What happens to an event that lacks the value of a macro.
package enum MissingValue: String, Sendable, CaseIterable {
    /// The value is empty: no characters in a text, `null` where a number stands.
    case empty
    /// The event is a dead letter at once.
    case deadLetter = "dead-letter"
}
