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

/// Which answers count as delivered.
package enum SuccessRule: Sendable, Equatable {
    /// Each from 200 to 299.
    case any2xx
    /// These alone, each from 200 to 599; not empty.
    case statuses(Set<Int>)

    /// Whether an answer with this status counts as delivered.
    package func accepts(status: Int) -> Bool {
        switch self {
        case .any2xx: (200...299).contains(status)
        case .statuses(let statuses): statuses.contains(status)
        }
    }
}

/// When a delivery that failed is tried again.
package struct RetrySchedule: Sendable, Equatable {
    /// The greatest wait before the second attempt, the third, and so on; after the last one the delivery is a dead
    /// letter.
    package let delays: [Duration]

    /// The schedule of a destination whose file says nothing: nine retries within 76 hours.
    package static let standard = RetrySchedule(
        delays: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map { .seconds($0) })

    /// The greatest number of retries.
    static let greatestCount = 30
}
