/// How much a destination gets at once.
package struct DestinationLimits: Sendable, Equatable {
    /// The greatest number of requests in a second; nil for no limit.
    package let perSecond: Int?
    /// The greatest number of requests under way.
    package let inFlight: Int
    /// How long a request may take, from connecting to the end of its answer.
    package let timeout: Duration

    /// The limits of a destination whose file says nothing: 32 requests under way, 15 seconds each.
    package static let standard = DestinationLimits()

    /// What `per-second` may be.
    static let rates = 1...100_000
    /// What `in-flight` may be.
    static let inFlightCounts = 1...256
    /// What `timeout-seconds` may be.
    static let timeouts = 1...60

    init(perSecond: Int? = nil, inFlight: Int = 32, timeout: Duration = .seconds(15)) {
        self.perSecond = perSecond
        self.inFlight = inFlight
        self.timeout = timeout
    }
}
