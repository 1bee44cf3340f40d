import Foundation

/// The answers to deliveries: by status, with times.
///
/// Memory is bounded: times are counted in classes that are 5 % wide.
struct DeliverySummary: Sendable {
    /// What came of a delivery.
    enum Outcome: Sendable, Hashable {
        case status(Int)
        /// There was no answer; the reason.
        case none(String)
    }

    private struct Times: Sendable {
        var count = 0
        var classes: [Int: Int] = [:]
        var longest = 0.0

        mutating func add(_ seconds: Double, place: Int) {
            count += 1
            classes[place, default: 0] += 1
            longest = max(longest, seconds)
        }
    }

    private var outcomes: [Outcome: Times] = [:]
    private(set) var count = 0

    /// How many reasons are kept; later ones count as one.
    private static let largest = 50
    private static let width = log(1.05)

    /// Counts a delivery.
    ///
    /// - Parameter seconds: From the time at which it was due to the answer.
    mutating func add(_ outcome: Outcome, seconds: Double) {
        count += 1
        let isKnown = outcomes[outcome] != nil || outcomes.count < Self.largest
        let outcome = isKnown ? outcome : .none("other problems")
        let place = Int((log(max(seconds, 1e-6)) / Self.width).rounded(.up))
        outcomes[outcome, default: Times()].add(seconds, place: place)
    }

    /// The deliveries that were answered 200.
    var accepted: Int { outcomes[.status(200)]?.count ?? 0 }

    /// The deliveries that were answered, with whatever status.
    var answered: Int {
        outcomes.reduce(0) { sum, outcome in
            if case .status = outcome.key { return sum + outcome.value.count }
            return sum
        }
    }

    /// A line for each status, most frequent first.
    var lines: [String] {
        outcomes.sorted { ($0.value.count, "\($1.key)") > ($1.value.count, "\($0.key)") }.map { outcome, times in
            let name =
                switch outcome {
                case .status(let status): "\(status)"
                case .none(let reason): "no answer: \(reason)"
                }
            let p50 = Self.milliseconds(times, 0.5)
            let p99 = Self.milliseconds(times, 0.99)
            return "\(name): \(times.count), p50 \(p50) ms, p99 \(p99) ms, longest \(Self.text(times.longest)) ms"
        }
    }

    private static func milliseconds(_ times: Times, _ share: Double) -> String {
        let rank = Int((Double(times.count) * share).rounded(.up))
        var seen = 0
        for (place, count) in times.classes.sorted(by: { $0.key < $1.key }) {
            seen += count
            if seen >= rank { return text(min(exp(Double(place) * width), times.longest)) }
        }
        return text(times.longest)
    }

    private static func text(_ seconds: Double) -> String {
        String(format: "%.1f", seconds * 1_000)
    }
}
