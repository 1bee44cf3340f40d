/// How often each latency was seen, to the millisecond, in the same memory however many there are.
struct LatencyHistogram: Sendable, Equatable {
    /// Everything that is longer counts as this.
    static let longest = 60_000

    private var counts: [Int] = []
    private(set) var count = 0

    /// Adds a latency.
    ///
    /// Clocks of two processes may differ by a moment, so one that is negative counts as none.
    mutating func add(milliseconds: Int) {
        let bounded = min(max(milliseconds, 0), Self.longest)
        if bounded >= counts.count { counts += Array(repeating: 0, count: bounded + 1 - counts.count) }
        counts[bounded] += 1
        count += 1
    }

    /// The least number of milliseconds that a share of all latencies does not exceed; nil if there are none.
    func quantile(_ share: Double) -> Int? {
        guard count > 0 else { return nil }
        let rank = max(1, Int((Double(count) * share).rounded(.up)))
        var seen = 0
        return counts.firstIndex { number in
            seen += number
            return seen >= rank
        }
    }
}
