import AdAttribution
import Metrics
import Synchronization

/// A counter for each outcome and labels of a postback, found without a lock.
///
/// A counter is made when it is first needed. So a scrape shows only what has happened.
struct PostbackCounters: Sendable {
    /// A place for one counter.
    ///
    /// It is a class, because an atomic reference can't be an element of an array.
    private final class Place: Sendable {
        let counter = AtomicLazyReference<Counter>()
    }

    private let places: [Place]
    private let outcomeCount = PostbackOutcome.allCases.count

    init() {
        places = (0..<PostbackLabels.count * outcomeCount).map { _ in Place() }
    }

    /// The counter of an outcome and labels.
    subscript(_ outcome: PostbackOutcome, _ labels: PostbackLabels) -> Counter {
        let place = places[labels.index * outcomeCount + outcome.index]
        // If two threads make a counter at the same time, both get the first one.
        return place.counter.load() ?? place.counter.storeIfNil(Self.make(outcome, labels))
    }

    private static func make(_ outcome: PostbackOutcome, _ labels: PostbackLabels) -> Counter {
        Counter(
            label: "postbacks_total",
            dimensions: [
                ("protocol", labels.attributionProtocol), ("version", labels.version),
                ("environment", labels.environment), ("outcome", outcome.rawValue),
            ])
    }
}
