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
